import { existsSync, statfsSync } from "node:fs"
import { dirname } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { z } from "zod"
import { createAskedChildren } from "../../../children/ask-child.ts"
import type { SpawnChild } from "../../../children/child.ts"
import { temporaryPath } from "../../../data-layout.ts"
import type { Logger } from "../../../logging/logger.ts"

export const ConversionReport = z.object({ converted: z.literal(true) })
export type ConversionReport = z.infer<typeof ConversionReport>

const megabyte = 2 ** 20
/** A database up to this size is converted at once: in about a second. */
const smallBytes = 64 * megabyte
/** A larger one is once a quarter of it is free, and if what is left is no more than this: in about a minute. */
const freeShare = 1 / 4
const mostLiveBytes = 2_048 * megabyte
/** It is written twice beside itself, for the log and for the order of its pages; and other room should stay. */
const copies = 2
const keptFreeBytes = 64 * megabyte
const longestMs = 5 * 60_000

/**
 * Databases that an earlier Casella made can't give back room bit by bit, until SQLite has written them anew once: a VACUUM, for
 * which it keeps everybody else from writing. So it happens before the box uses the database, in a process of its own, and when it
 * is cut off the database is as it was. Never throws: the box works without, and the next start tries again.
 */
export async function convertDatabase(path: string, spawn: SpawnChild, logger: Logger): Promise<void> {
  const sizes = sizesOf(path)
  if (!sizes || !isWorthIt(sizes)) return
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < copies * sizes.live + keptFreeBytes) return
  await using children = createAskedChildren(spawn)
  const temporary = temporaryPath(dirname(path))
  const env = { TMPDIR: temporary, TMP: temporary, TEMP: temporary }
  try {
    const signal = AbortSignal.timeout(longestMs)
    await children.ask({ entry: "database-converter", env, args: [path] }, ConversionReport, signal)
    logger.info({ before: sizes.all, after: sizes.live }, "The database was written anew to take less room")
  } catch (error) {
    logger.warn({ err: error }, "The database couldn't be written anew to take less room")
  }
}

interface Sizes {
  /** In bytes: the file, and what is in use of it. */
  all: number
  live: number
}

/** Null when the database isn't there, can't be read now, or needs no conversion. */
function sizesOf(path: string): Sizes | null {
  if (!existsSync(path)) return null
  try {
    const sqlite = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 })
    try {
      const [mode = 1, page = 0, pages = 0, free = 0] = (
        ["auto_vacuum", "page_size", "page_count", "freelist_count"] as const
      ).map((name) => sqlite.pragma(name, { simple: true }) as number)
      return mode === 0 ? { all: page * pages, live: page * (pages - free) } : null
    } finally {
      sqlite.close()
    }
  } catch {
    return null // whoever opens it next says why
  }
}

function isWorthIt({ all, live }: Sizes): boolean {
  return all <= smallBytes || (all - live >= all * freeShare && live <= mostLiveBytes)
}
