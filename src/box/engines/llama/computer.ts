import { createHash } from "node:crypto"
import { existsSync, readdirSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { createRequire } from "node:module"
import { freemem, totalmem, cpus, release } from "node:os"
import { dirname, join, sep } from "node:path"
import type { GpuKind } from "./protocol.ts"

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

/** Change this together with node-llama-cpp: its newer drivers may support what older ones did not. */
export const engineVersion = `3.22.1 ${process.platform} ${process.arch}`

/** Identifies this computer and its installed native code: versions, processor, system, files. Returns null if the files can't be found. */
export function fingerprintNativeCode(): string | null {
  try {
    const known = [engineVersion, release(), cpus()[0]?.model, nativeFiles()]
    return createHash("sha256").update(JSON.stringify(known)).digest("hex").slice(0, 32)
  } catch {
    return null
  }
}

/**
 * Returns the installed engine parts for graphics cards, and the command that adds CUDA. The packages of the desktop app have no such
 * command, because they leave out `tools/`.
 */
export function findGpuSupport(modules = findModules()): {
  gpuBackends: Exclude<GpuKind, false>[]
  addCudaCommand: string | null
} {
  const scope = join(modules, scopeName)
  const names = existsSync(scope) ? readdirSync(scope) : []
  const gpuBackends = (["metal", "cuda", "vulkan"] as const).filter((backend) =>
    names.some((name) => name.endsWith(`-${backend}`)),
  )
  const canAdd =
    !gpuBackends.includes("cuda") && existsSync(join(dirname(modules), "tools/cuda/package.json"))
  const hasCuda = process.arch === "x64" && ["linux", "win32"].includes(process.platform)
  return { gpuBackends, addCudaCommand: canAdd && hasCuda ? "npm run setup -- --cuda" : null }
}

const scopeName = "@node-llama-cpp"

/** Returns the directory that contains the engine's package and the packages with its native code. */
function findModules(): string {
  const entry = createRequire(import.meta.url).resolve("node-llama-cpp")
  const folder = `${sep}node_modules`
  return entry.slice(0, entry.lastIndexOf(folder + sep) + folder.length)
}

/** Path, size and modification time of each file. */
function nativeFiles(): [path: string, size: number, mtimeMs: number][] {
  return readdirSync(join(findModules(), scopeName), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.(node|so|dylib|dll)$/.test(file.name))
    .map((file) => {
      const path = join(file.parentPath, file.name)
      const { size, mtimeMs } = statSync(path)
      return [path, size, mtimeMs]
    })
}

/** Covers a model's name and settings. Most of the rest is its vocabulary, which is the same for a whole model family. */
const headBytes = 64 * 1024

/** Distinguishes model files of the same name without reading them completely. */
export async function fingerprintModel(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(headBytes), position: 0 })
    return createHash("sha256")
      .update(`${size}\n`)
      .update(buffer.subarray(0, bytesRead))
      .digest("hex")
      .slice(0, 16)
  } finally {
    await file.close()
  }
}
