import { createHash } from "node:crypto"
import { readdirSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { cpus, release } from "node:os"
import { join, sep } from "node:path"

/** Raised with node-llama-cpp, whose newer drivers may do what older ones could not. */
export const engineVersion = `3.21.1 ${process.platform} ${process.arch}`

/**
 * Tells this computer with the native code that is installed in it from every other: versions, processor, system, files. null
 * where its files can't be found.
 */
export function fingerprintNativeCode(): string | null {
  try {
    const known = [engineVersion, release(), cpus()[0]?.model, nativeFiles()]
    return createHash("sha256").update(JSON.stringify(known)).digest("hex").slice(0, 32)
  } catch {
    return null
  }
}

/** Path, size and time of each. */
function nativeFiles(): [path: string, size: number, mtimeMs: number][] {
  const entry = createRequire(import.meta.url).resolve("node-llama-cpp")
  const packages = `${sep}node_modules${sep}`
  const scope = join(entry.slice(0, entry.lastIndexOf(packages) + packages.length), "@node-llama-cpp")
  return readdirSync(scope, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.(node|so|dylib|dll)$/.test(file.name))
    .map((file) => {
      const path = join(file.parentPath, file.name)
      const { size, mtimeMs } = statSync(path)
      return [path, size, mtimeMs]
    })
}
