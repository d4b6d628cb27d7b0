import { access, constants, realpath, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, parse, relative, resolve } from "node:path"
import { invalidField } from "../../../shared/contract/errors.ts"
import { sentence, type PlainCode } from "../../../shared/sentences/sentences.ts"
import { isInDataDirectory } from "../../core/data-directory/marker.ts"
import { typedPath } from "../../core/files/path-jail.ts"

/** Directories of the operating system, which contain no one's documents. */
const systemRoots: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  win32: ["C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)", "C:\\ProgramData"],
  darwin: [
    "/System",
    "/Library",
    "/Applications",
    "/bin",
    "/sbin",
    "/usr",
    "/private/etc",
    "/private/var/db",
    "/dev",
    "/cores",
  ],
  linux: [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var/lib",
    "/snap",
  ],
}
/** Too broad to follow, although directories inside them can be followed. */
const tooWide = new Set([
  "/home",
  "/Users",
  "/mnt",
  "/media",
  "/Volumes",
  "/opt",
  "/srv",
  "/tmp",
  "/var",
  "/private",
  "/root",
])

/** Like `checkExactDirectory`, for a path as the user typed it. */
export const checkWatchedDirectory = (given: string, dataDir: string): Promise<string> =>
  checkExactDirectory(typedPath(given), dataDir)

/**
 * Returns the real path of a directory to follow. Throws `validation` for the field `folder` unless it is an existing, readable directory
 * that isn't part of the system and neither contains nor lies in the server's own data.
 */
export async function checkExactDirectory(path: string, dataDir: string): Promise<string> {
  const refuse = (code: PlainCode) => invalidField("folder", sentence(code))
  if (path.includes("\0") || !isAbsolute(path)) throw refuse("folders.path_not_absolute")
  const real = await realpath(path).catch(() => {
    throw refuse("folders.no_directory")
  })
  if (!(await stat(real)).isDirectory()) throw refuse("folders.is_file")
  await access(real, constants.R_OK | constants.X_OK).catch(() => {
    throw refuse("folders.not_readable")
  })
  const data = await realpath(dataDir)
  if (isInside(real, data) || isInside(data, real) || isInDataDirectory(real)) {
    throw refuse("folders.own_data_inside")
  }
  if (isSystem(real)) throw refuse("folders.of_the_system")
  return real
}

function isSystem(path: string): boolean {
  if (path === parse(path).root || path === dirname(homedir()) || path === homedir()) return true
  if (tooWide.has(path)) return true
  return (systemRoots[process.platform] ?? []).some((root) => isInside(path, resolve(root)))
}

/** Whether `path` is `directory` or is inside it. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way === "" || (!isAbsolute(way) && way.split(/[\\/]/)[0] !== "..")
}
