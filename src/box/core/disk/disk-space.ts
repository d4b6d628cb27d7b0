import { randomFillSync } from "node:crypto"
import { accessSync, constants, existsSync, lstatSync, rmSync, type StatsFs, statfsSync } from "node:fs"
import { statfs, readdir, rm, writeFile } from "node:fs/promises"
import { dirname, join, relative, sep, basename } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { markerFile } from "../data-directory/marker.ts"
import { reservePath } from "../data-layout.ts"
import { makeDirectoryInside } from "../files/path-jail.ts"
import type { Logger } from "../logging/logger.ts"

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

/** Free and total space of a disk, in bytes. */
export interface DiskSpace {
  free: number
  total: number
}

/** Returns the space of the disk that contains a directory. */
export async function diskSpace(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** Returns the free space of the disk that contains a directory, in bytes. */
export async function freeBytes(directory: string): Promise<number> {
  return (await diskSpace(directory)).free
}

/** Disk space that the box reserves, so that on a full disk it can still start, finish its work, and delete. */
export interface DiskReserve extends AsyncDisposable {
  /** Runs the work; if the disk is full, releases the reserve and runs it again. */
  withReserve<T>(work: () => Promise<T>): Promise<T>
  /** Creates the missing part of the reserve if there is room. Also runs at the start and periodically. */
  keep(): Promise<void>
}

/** Several files, because a disk may also run out of inodes. They reserve space for the write-ahead log (4 MB) and more. */
const files = 16
const fileBytes = 2 ** 20
/** The reserve is created only if it uses at most this fraction of the free space and the free inodes: one quarter. */
const share = 4
/**
 * With less free space than this at the start, the reserve is released at once: for the log, SQLite's files and the cleanup of interrupted
 * work.
 */
const min = { bytes: 4 * 2 ** 20, inodes: 12 }
const checkIntervalMs = 60_000

/** Releases the reserve if the box couldn't start otherwise. The caller must hold the data directory's lock. */
export function freeReserveIfFull(dataDir: string): void {
  if (isAlmostFull(statfsSync(dataDir))) rmSync(reservePath(dataDir), { recursive: true, force: true })
}

/** Whether a disk has less room than the box needs to work. */
export function isAlmostFull({ bavail, bsize, files: all, ffree }: StatsFs): boolean {
  const isOutOfInodes = all > 0 && ffree < min.inodes
  return bavail * bsize < min.bytes || isOutOfInodes
}

/**
 * Keeps a reserve in the data directory while there is room for it.
 * @param isInPlace whether the directory still belongs to the box
 */
export function openDiskReserve(
  dataDir: string,
  logger: Logger,
  isInPlace: () => boolean = () => true,
): DiskReserve {
  const directory = reservePath(dataDir)
  let making: Promise<void> = Promise.resolve()
  const closing = new AbortController()

  async function make(): Promise<void> {
    if (!isInPlace()) return
    const { bavail, bsize, files: all, ffree } = await statfs(dataDir)
    const isOutOfInodes = all > 0 && ffree < files * share // some file systems don't count inodes
    if (bavail * bsize < files * fileBytes * share || isOutOfInodes) return
    await makeDirectoryInside(dataDir, [basename(directory)])
    const existing = new Set(await readdir(directory))
    const missing = Array.from({ length: files }, (_, number) => String(number)).filter(
      (name) => !existing.has(name),
    )
    if (missing.length === 0) return
    const bytes = Buffer.alloc(fileBytes) // one buffer for all files: JavaScript frees such buffers late
    for (const name of missing) {
      if (closing.signal.aborted) return
      // random, because some file systems compress or deduplicate data
      await writeFile(join(directory, name), randomFillSync(bytes))
    }
  }

  async function releaseReserve(): Promise<void> {
    await making
    if (!isInPlace()) return
    if ((await readdir(directory).catch(() => [])).length === 0) return
    await rm(directory, { recursive: true, force: true })
    logger.warn({}, "The disk is full: the server uses its reserved space. Free some space.")
  }

  function keep(): Promise<void> {
    making = making.then(make).catch((error: unknown) => {
      if (!isDiskFull(error)) logger.warn({ err: error }, "No space could be reserved for a full disk")
    })
    return making
  }
  void keep() // not awaited: the disk may also fill during the start
  const timer = setInterval(() => void keep(), checkIntervalMs)

  return {
    async withReserve(work) {
      try {
        return await work()
      } catch (error) {
        if (!isDiskFull(error)) throw error
        await releaseReserve()
        return work()
      }
    },
    keep,
    async [Symbol.asyncDispose]() {
      closing.abort()
      clearInterval(timer)
      await making
    },
  }
}
