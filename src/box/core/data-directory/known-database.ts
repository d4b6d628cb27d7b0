import { statSync } from "node:fs"
import { z } from "zod"
import type { AgeTimes } from "../age-clock.ts"
import { createBoxValues } from "../database/box-values.ts"
import type { DbOf } from "../database/database.ts"
import { newId } from "../ids.ts"
import type { Logger } from "../logging/logger.ts"
import { readSmallFileNow, replaceSmallFileNow } from "../files/small-file.ts"
import { readStored } from "../database/stored-json.ts"
import type { DirectoryLooks } from "./directory-looks.ts"

/** How the database stands to the one that the last run left in this data directory. */
export interface KnownDatabase extends AsyncDisposable {
  /** It is another one, or as it was at another time: a restored backup, an older copy, a copy of the whole directory. */
  isOther: boolean
  /** Whether what it doesn't know of may be deleted for good: not for 30 days after another one came, which may have been by mistake. */
  mayForget: boolean
  /** Gives the database the first stamp of this run, which takes some writes that no request needs; until then it has the last run's. */
  start(): Promise<void>
}

interface KnownDatabaseOptions {
  db: DbOf<"core">
  /** Of the database; null: it is on a server, for several data directories. */
  databasePath: string | null
  dataDirectoryId: string
  /** Of the file beside the database that knows it. */
  path: string
  /** Of the whole data directory. */
  isCopy: boolean
  looks: Pick<DirectoryLooks, "on">
  times: AgeTimes
  mayWrite: () => boolean
  logger: Pick<Logger, "info" | "warn">
}

const Kept = z.object({
  /** The database has one of these; two while it is given the next one. */
  stamps: z.array(z.string().nullable()),
  /** When another one last came, in ms since 1970. */
  otherSince: z.number().nullable(),
})

const ownKey = "databaseStamp"
const keptMs = 30 * 24 * 3_600_000

/**
 * Both the database and a file beside it have the same random stamp, a new one from each start and each end. Also a new one once
 * SQLite copied its log into the database: so the newest is in the log alone, and a database that lost its log is another one.
 */
export async function knowDatabase(options: KnownDatabaseOptions): Promise<KnownDatabase> {
  const { db, databasePath, dataDirectoryId, path, isCopy, looks, times, mayWrite, logger } = options
  const kept = read(path)
  const values = createBoxValues(db)
  const key = databasePath === null ? `${ownKey}.${dataDirectoryId}` : ownKey
  let stamp = await values.read(key)
  const isOther = isCopy || !(kept?.stamps ?? [null]).includes(stamp)
  const otherSince = isOther ? times.latest() : (kept?.otherSince ?? null)
  if (isOther)
    logger.info(
      {},
      "This isn't the database as the last run left it. What it doesn't know of is kept for 30 days",
    )

  /** Whatever is cut off in between, the file has the database's. */
  async function renew(): Promise<void> {
    if (!mayWrite()) return
    const next = newId()
    try {
      write({ stamps: [stamp, next], otherSince })
      await values.write([{ key, value: next }])
      stamp = next
      write({ stamps: [next], otherSince })
    } catch (error) {
      logger.warn({ err: error }, "The database may be taken for another one at the next start")
    }
  }

  const write = (known: z.infer<typeof Kept>) =>
    replaceSmallFileNow(path, JSON.stringify(known), { flush: true })

  let renewedAt: string | undefined
  let running = Promise.resolve()
  let looking: Disposable | undefined
  async function follow(): Promise<void> {
    if (databasePath === null) return
    const state = stateOf(databasePath)
    if (state === renewedAt || isEmpty(`${databasePath}-wal`)) return
    renewedAt = state
    await renew()
  }

  return {
    start() {
      renewedAt = databasePath === null ? undefined : stateOf(databasePath)
      running = renew()
      looking = looks.on(() => {
        running = running.then(follow)
      })
      return running
    },
    isOther,
    mayForget: otherSince === null || times.now() - otherSince > keptMs,
    async [Symbol.asyncDispose]() {
      looking?.[Symbol.dispose]()
      await running
      await renew()
    },
  }
}

/** Changes when something is copied into it from its log. */
function stateOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.size} ${found.mtimeMs}`
}

const isEmpty = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0

/** For a database that was unpacked: in any data directory it is another one. */
export const makeOther = (db: DbOf<"core">): Promise<void> =>
  createBoxValues(db).write([{ key: ownKey, value: newId() }])

function read(path: string): z.infer<typeof Kept> | undefined {
  try {
    return readStored(Kept, readSmallFileNow(path))
  } catch {
    return undefined // the first start, or one of an earlier Casella
  }
}
