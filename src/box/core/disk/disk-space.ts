import { randomFillSync } from "node:crypto"
import { rmSync, type StatsFs, statfsSync } from "node:fs"
import { statfs, readdir, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { reservePath } from "../data-layout.ts"
import { makeDirectoryInside } from "../files/path-jail.ts"
import type { Logger } from "../logging/logger.ts"
import { isDiskFull } from "./disk-errors.ts"

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
const least = { bytes: 4 * 2 ** 20, inodes: 12 }
const checkIntervalMs = 60_000

/** Releases the reserve if the box couldn't start otherwise. The caller must hold the data directory's lock. */
export function freeReserveIfFull(dataDir: string): void {
  if (isAlmostFull(statfsSync(dataDir))) rmSync(reservePath(dataDir), { recursive: true, force: true })
}

/** Whether a disk has less room than the box needs to work. */
export function isAlmostFull({ bavail, bsize, files: all, ffree }: StatsFs): boolean {
  const isOutOfInodes = all > 0 && ffree < least.inodes
  return bavail * bsize < least.bytes || isOutOfInodes
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
    logger.warn({}, "The disk is full: the box uses its reserved space. Free some space.")
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
