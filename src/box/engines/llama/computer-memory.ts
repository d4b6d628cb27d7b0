import { freemem, totalmem } from "node:os"

/** Memory that a new process may use, in bytes. */
export function freeMemory(): number {
  // macOS counts its file cache as used; it gives that back when somebody needs it.
  const free = process.platform === "darwin" ? Math.max(freemem(), totalmem() * 0.6) : freemem()
  return process.constrainedMemory() > 0 ? Math.min(free, process.availableMemory()) : free
}

/** Memory that the box may use, in bytes, in use or not. */
export function totalMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
