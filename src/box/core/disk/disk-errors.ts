import { accessSync, constants, existsSync, lstatSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { markerFile } from "../data-directory/marker.ts"

/** Error codes of the system and SQLite when no space or inode is left. SQLite's last two concern its shared memory and a file. */
const fullCodes = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMMAP"])

/** Whether an operation failed because the disk is full, so that it will work when there is room. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: string }
  return error instanceof AppError ? error.code === "disk_full" : code !== undefined && fullCodes.has(code)
}

const refusalCodes = /^(EACCES|EPERM|EROFS|ENOTDIR|SQLITE_READONLY\w*)$/
const tooMany = /^E[MN]FILE$/

/** Returns the user-facing error if the system refused to read or write; null for any other error. */
export function refusedAccess(error: unknown): AppError | null {
  if (tooMany.test(getCode(error)))
    return new AppError("unavailable", sentence("core.too_many_open_files"), {
      cause: error,
    })
  if (!isRefusal(error)) return null
  const refused = () => new AppError("unavailable", sentence("core.system_refuses"), { cause: error })
  return closedInDataDirectory(error) ?? (getCode(error) === "ENOTDIR" ? null : refused())
}

/** Does the same for an inaccessible item in the data directory, and names it; null also for paths elsewhere. */
export function closedInDataDirectory(error: unknown): AppError | null {
  if (!isRefusal(error)) return null
  const parts = [error.path, error.dest].flatMap((path) => (path === undefined ? [] : getParts(path)))
  const exchanged = getCode(error) === "ENOTDIR" ? parts.find(isNoDirectory) : undefined
  if (exchanged !== undefined)
    return new AppError("unavailable", sentence("core.not_a_directory", { place: exchanged.name }), {
      cause: error,
    })
  const closed = parts.find((part) => !isOpen(part)) ?? parts[0]
  if (closed === undefined) return null
  return new AppError("unavailable", sentence("core.closed_in_data_directory", { place: closed.name }), {
    cause: error,
  })
}

interface Refusal extends Error {
  path?: string
  /** Target of a move or a link. */
  dest?: string
}

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && refusalCodes.test(getCode(error))

const getCode = (error: unknown) => String((error as { code?: unknown } | null)?.code)

interface Part {
  /** Relative to the data directory. */
  name: string
  path: string
  isDirectory: boolean
}

/** Returns the parts of a path in the data directory, the path itself last; nothing for a path elsewhere. */
function getParts(path: string): Part[] {
  const dataDir = getDataDirectory(path)
  if (dataDir === null) return []
  const names = relative(dataDir, path).split(sep)
  return names.map((_, index) => {
    const inside = names.slice(0, index + 1)
    const isDirectory = index < names.length - 1
    return { name: inside.join("/"), path: join(dataDir, ...inside), isDirectory }
  })
}

function getDataDirectory(path: string): string | null {
  for (let inside = path, directory = dirname(path); directory !== inside; directory = dirname(directory)) {
    if (existsSync(join(directory, markerFile))) return directory
    inside = directory
  }
  return null
}

/** A link isn't a directory here: the box doesn't follow links to its own directories. */
const isNoDirectory = ({ path }: Part): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false

function isOpen({ path, isDirectory }: Part): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (isDirectory ? constants.X_OK : 0))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" // it would have been created there
  }
}
