import { randomFillSync } from "node:crypto"
import { rmSync, type StatsFs, statfsSync } from "node:fs"
import { readdir, rm, statfs, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { reservePath } from "../data-layout.ts"
import type { Logger } from "../logging/logger.ts"
import { isDiskFull } from "./is-disk-full.ts"
import { makeDirectoryInside } from "../files/path-jail.ts"

/** Room that the box keeps for itself, so that on a full disk it can still start, end what it began, and delete. */
export interface DiskReserve extends AsyncDisposable {
  /** Does something; when the disk is full, gives up the reserve and does it once more. */
  orFree<T>(work: () => Promise<T>): Promise<T>
  /** Makes what is missing of it, where there is room. It is called at the start and now and then by itself, too. */
  keep(): Promise<void>
}

/** Several files, because a disk may run out of inodes as well. Room for the write-ahead log, 4 MB, and more. */
const files = 16
const fileBytes = 2 ** 20
/** The reserve is made, and made again, where it takes this part of the free room, and of the free inodes, at most. */
const share = 4
/** With less than this at the start, it is given up at once: the log, SQLite's files and what ends cut-off work. */
const least = { bytes: 4 * 2 ** 20, inodes: 12 }
const lookEveryMs = 60_000

/** Gives up the reserve where the box couldn't start without. Only for whoever holds the data directory's lock. */
export function freeReserveIfFull(dataDir: string): void {
  if (isAlmostFull(statfsSync(dataDir))) rmSync(reservePath(dataDir), { recursive: true, force: true })
}

/** Whether a disk has less room than the box needs to work. */
export function isAlmostFull({ bavail, bsize, files: all, ffree }: StatsFs): boolean {
  const noInodes = all > 0 && ffree < least.inodes
  return bavail * bsize < least.bytes || noInodes
}

/**
 * Keeps a reserve in the data directory while there is room for it.
 * @param isKept whether the directory is still the box's own
 */
export function openDiskReserve(
  dataDir: string,
  logger: Logger,
  isKept: () => boolean = () => true,
): DiskReserve {
  const directory = reservePath(dataDir)
  let making: Promise<void> = Promise.resolve()
  const closing = new AbortController()

  async function make(): Promise<void> {
    if (!isKept()) return
    const { bavail, bsize, files: all, ffree } = await statfs(dataDir)
    const noInodes = all > 0 && ffree < files * share // some file systems don't count them
    if (bavail * bsize < files * fileBytes * share || noInodes) return
    await makeDirectoryInside(dataDir, [basename(directory)])
    const there = new Set(await readdir(directory))
    const missing = Array.from({ length: files }, (_, number) => String(number)).filter(
      (name) => !there.has(name),
    )
    if (missing.length === 0) return
    const bytes = Buffer.alloc(fileBytes) // one for all: JavaScript lets go of such buffers late
    for (const name of missing) {
      if (closing.signal.aborted) return
      // random, because some file systems keep nothing of what can be compressed, or is there already
      await writeFile(join(directory, name), randomFillSync(bytes))
    }
  }

  async function giveUp(): Promise<void> {
    await making
    if (!isKept()) return
    if ((await readdir(directory).catch(() => [])).length === 0) return
    await rm(directory, { recursive: true, force: true })
    logger.warn({}, "The disk is full: the box uses the room that it keeps for that. Free some space.")
  }

  function keep(): Promise<void> {
    making = making.then(make).catch((error: unknown) => {
      if (!isDiskFull(error)) logger.warn({ err: error }, "No room could be kept for a full disk")
    })
    return making
  }
  void keep() // beside the start: the disk may fill in the first moments, too
  const timer = setInterval(() => void keep(), lookEveryMs)

  return {
    async orFree(work) {
      try {
        return await work()
      } catch (error) {
        if (!isDiskFull(error)) throw error
        await giveUp()
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
