import { freemem, totalmem } from "node:os"

/** Returns the memory that a new process can use, in bytes. */
export function freeMemory(): number {
  // macOS counts its file cache as used, but frees it when a program needs memory.
  const free = process.platform === "darwin" ? Math.max(freemem(), totalmem() * 0.6) : freemem()
  return process.constrainedMemory() > 0 ? Math.min(free, process.availableMemory()) : free
}

/** Returns the memory that the box can use, in bytes, including memory in use. */
export function totalMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
