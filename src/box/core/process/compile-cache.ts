import { lstatSync, mkdirSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"

/**
 * Keeps what JavaScript is compiled to for the next start, which then is a seventh shorter. It is in the user's cache, not in the data
 * directory, which may have come from somebody else: whoever writes there says what the program does. Without it where that
 * isn't the user's alone.
 */
export function keepCompiled(): void {
  const cache = userCache()
  if (cache === undefined) return
  const directory = join(cache, "casella", "compiled")
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if ([cache, dirname(directory), directory].every(isOwn)) enableCompileCache(directory)
  } catch {
    // A read-only or full disk: it is compiled anew each time.
  }
}

function userCache(): string | undefined {
  const { XDG_CACHE_HOME: named, LOCALAPPDATA: local } = process.env
  if (process.platform === "win32") return local
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches")
  return named !== undefined && isAbsolute(named) ? named : join(homedir(), ".cache")
}

/** Windows keeps a user's directories by its own means. */
function isOwn(directory: string): boolean {
  const found = lstatSync(directory)
  if (!found.isDirectory()) return false
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0)
}
