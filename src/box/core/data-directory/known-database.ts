import { statSync, existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { z } from "zod"
import type { AgeTimes } from "../age-clock.ts"
import { missingChangesPath } from "../data-layout.ts"
import { createBoxValues } from "../database/box-values.ts"
import type { DbOf } from "../database/database.ts"
import { readStored } from "../database/sql-helpers.ts"
import { syncDirectory } from "../files/durable-file.ts"
import { readSmallFileNow, replaceSmallFileNow } from "../files/file-contents.ts"
import { newId } from "../ids.ts"
import type { Logger } from "../logging/logger.ts"
import type { DirectoryPoller } from "./watch-data-directory.ts"

/** Whether the database is the one that the last run left in this data directory. */
export interface KnownDatabase extends AsyncDisposable {
  /** Whether it is another database or another state of it: a restored backup, an older copy, or a copy of the whole directory. */
  isOther: boolean
  /** Whether it is another one that no earlier start noticed. The last start may have been killed after it noticed the database. */
  isNew: boolean
  /** Stores that this start noticed a new database. Call it when the consequences of `isNew` are on the disk. */
  notice(): void
  /**
   * Whether data that the database doesn't know may be deleted permanently. False for 30 days after another database appeared, which may
   * have been a mistake.
   */
  canForget: boolean
  /**
   * Writes the first stamp of this run to the database. No request needs these writes; until then the database has the last run's stamp.
   */
  start(): Promise<void>
}

interface KnownDatabaseOptions {
  db: DbOf<"core">
  /** Path of the database; null: it is on a server, for several data directories. */
  databasePath: string | null
  dataDirectoryId: string
  /** Path of the file next to the database that identifies it. */
  path: string
  /** Whether the whole data directory is a copy. */
  isCopy: boolean
  directoryWatch: Pick<DirectoryPoller, "on">
  times: AgeTimes
  canWrite: () => boolean
  logger: Pick<Logger, "info" | "warn">
}

const DatabaseRecord = z.object({
  /** The database has one of these. There are two while the next one is being written. */
  stamps: z.array(z.string().nullable()),
  /** When another database last appeared, in ms since 1970. */
  otherSince: z.number().nullable(),
  /** Stamp of another database that a start noticed, until it writes the first stamp of its run. */
  noticed: z.string().nullish(),
})

const stampKey = "databaseStamp"
const retentionMs = 30 * 24 * 3_600_000

/**
 * The database and a file next to it have the same random stamp, which changes at each start and each shutdown. It also changes after
 * SQLite copied its log into the database: the newest stamp is only in the log, so a database that lost its log is recognised as another
 * one.
 */
export async function openKnownDatabase(options: KnownDatabaseOptions): Promise<KnownDatabase> {
  const { db, databasePath, dataDirectoryId, path, isCopy, directoryWatch, times, canWrite, logger } = options
  const kept = read(path)
  const values = createBoxValues(db)
  const key = databasePath === null ? `${stampKey}.${dataDirectoryId}` : stampKey
  let stamp = await values.read(key)
  const isOther = isCopy || !(kept?.stamps ?? [null]).includes(stamp)
  const isNew = isOther && (stamp === null || kept?.noticed !== stamp)
  const otherSince = isOther ? times.latest() : (kept?.otherSince ?? null)
  if (isOther)
    logger.info(
      {},
      "The database has changed since the last run. Files that it doesn't know are kept for 30 days",
    )

  /** If this is interrupted at any point, the file contains the database's stamp. */
  async function renew(): Promise<void> {
    if (!canWrite()) return
    const next = newId()
    try {
      write({ stamps: [stamp, next], otherSince })
      await values.write([{ key, value: next }])
      stamp = next
      write({ stamps: [next], otherSince })
    } catch (error) {
      logger.warn({ err: error }, "The next start may treat this database as a different one")
    }
  }

  function notice(): void {
    if (!isNew || !canWrite()) return
    try {
      write({ stamps: kept?.stamps ?? [null], otherSince, noticed: stamp })
    } catch (error) {
      logger.warn({ err: error }, "The next start may warn about missing changes")
    }
  }

  const write = (known: z.infer<typeof DatabaseRecord>) =>
    replaceSmallFileNow(path, JSON.stringify(known), { flush: true })

  let renewedAt: string | undefined
  let running = Promise.resolve()
  let subscription: Disposable | undefined
  async function follow(): Promise<void> {
    if (databasePath === null) return
    const state = getState(databasePath)
    if (state === renewedAt || isEmpty(`${databasePath}-wal`)) return
    renewedAt = state
    await renew()
  }

  return {
    start() {
      renewedAt = databasePath === null ? undefined : getState(databasePath)
      running = renew()
      subscription = directoryWatch.on(() => {
        running = running.then(follow)
      })
      return running
    },
    isOther,
    isNew,
    notice,
    canForget: otherSince === null || times.now() - otherSince > retentionMs,
    async [Symbol.asyncDispose]() {
      subscription?.[Symbol.dispose]()
      await running
      await renew()
    },
  }
}

/** Changes when SQLite copies something from the log into the database. */
function getState(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.size} ${found.mtimeMs}`
}

const isEmpty = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0

/** Marks an unpacked database, so that every data directory recognises it as another one. */
export const makeOther = (db: DbOf<"core">): Promise<void> =>
  createBoxValues(db).write([{ key: stampKey, value: newId() }])

function read(path: string): z.infer<typeof DatabaseRecord> | undefined {
  try {
    return readStored(DatabaseRecord, readSmallFileNow(path))
  } catch {
    return undefined // the first start, or data of an earlier Casella
  }
}

/** Whether some of the latest changes may be missing and the owner hasn't been notified yet. */
export const areChangesMissing = (dataDir: string): boolean => existsSync(missingChangesPath(dataDir))

export async function noteMissingChanges(dataDir: string): Promise<void> {
  await writeFile(missingChangesPath(dataDir), "")
  await syncDirectory(dataDir)
}

/** Call it when the owner has been notified. */
export const forgetMissingChanges = (dataDir: string): Promise<void> =>
  rm(missingChangesPath(dataDir), { force: true })
