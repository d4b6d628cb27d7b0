import { lstatSync, mkdirSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"

/**
 * Caches compiled JavaScript for the next start, which is then a seventh shorter. The cache is in the user's cache directory and not in the
 * data directory, which may come from someone else: anyone who can write to the cache controls the program. It isn't used if that directory
 * isn't private to the user.
 */
export function cacheCompiledCode(): void {
  const cache = userCache()
  if (cache === undefined) return
  const directory = join(cache, "casella", "compiled")
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if ([cache, dirname(directory), directory].every(isOwn)) enableCompileCache(directory)
  } catch {
    // On a read-only or full disk, the code is compiled each time.
  }
}

function userCache(): string | undefined {
  const { XDG_CACHE_HOME: named, LOCALAPPDATA: local } = process.env
  if (process.platform === "win32") return local
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches")
  return named !== undefined && isAbsolute(named) ? named : join(homedir(), ".cache")
}

/** Windows protects users' directories itself. */
function isOwn(directory: string): boolean {
  const found = lstatSync(directory)
  if (!found.isDirectory()) return false
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0)
}
