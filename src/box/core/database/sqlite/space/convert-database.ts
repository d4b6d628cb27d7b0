import { existsSync, statfsSync } from "node:fs"
import { dirname } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { z } from "zod"
import { createOneShotChildren } from "../../../children/start-child.ts"
import type { SpawnChild } from "../../../children/child.ts"
import { temporaryPath } from "../../../data-layout.ts"
import type { Logger } from "../../../logging/logger.ts"

export const ConversionReport = z.object({ converted: z.literal(true) })
export type ConversionReport = z.infer<typeof ConversionReport>

const megabyte = 2 ** 20
/** A database up to this size is always converted, in about a second. */
const smallBytes = 64 * megabyte
/** A larger database is converted if a quarter of it is free and the rest isn't larger than this, in about a minute. */
const freeShare = 1 / 4
const maxLiveBytes = 2_048 * megabyte
/** The conversion writes two more copies, for the log and for sorting pages; some other space must remain free. */
const copies = 2
const reservedBytes = 64 * megabyte
const timeoutMs = 5 * 60_000

/**
 * Databases that an earlier Casella created can't return space incrementally until SQLite has rewritten them once with VACUUM, which blocks
 * all other writers. So a separate process does this before the box uses the database; an interrupted conversion changes nothing. Never
 * throws: the box works without it, and the next start retries.
 */
export async function convertDatabase(path: string, spawn: SpawnChild, logger: Logger): Promise<void> {
  const sizes = getSizes(path)
  if (!sizes || !isWorthIt(sizes)) return
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < copies * sizes.live + reservedBytes) return
  await using children = createOneShotChildren(spawn)
  const temporary = temporaryPath(dirname(path))
  const env = { TMPDIR: temporary, TMP: temporary, TEMP: temporary }
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    await children.ask({ entry: "database-converter", env, args: [path] }, ConversionReport, signal)
    logger.info({ before: sizes.all, after: sizes.live }, "The database was rewritten to use less space")
  } catch (error) {
    logger.warn({ err: error }, "The database couldn't be rewritten to use less space")
  }
}

interface Sizes {
  /** In bytes: size of the file, and the part of it in use. */
  all: number
  live: number
}

/** Returns null if the database is missing, can't be read now, or needs no conversion. */
function getSizes(path: string): Sizes | null {
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
    return null // the next open reports the reason
  }
}

function isWorthIt({ all, live }: Sizes): boolean {
  return all <= smallBytes || (all - live >= all * freeShare && live <= maxLiveBytes)
}
