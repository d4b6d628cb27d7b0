import { sql, type Expression, type Selectable, type SqlBool } from "kysely"
import { type Page, paginate, type Pagination } from "../../../shared/contract/primitives.ts"
import { EgressOutcome, EgressPurpose, type Egress } from "../../../shared/contract/privacy.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { ConnectionRecord } from "../../core/outbound/outbound.ts"

interface EgressFilter {
  purpose?: EgressPurpose | undefined
  /** Part of the host, ignoring case. */
  host?: string | undefined
}

/** The reader, and whose connections they see. Chats and assistants of other people aren't named. */
interface EgressReader {
  userId: string
  /** True for an owner, who sees everyone's connections. */
  everyones: boolean
}

type EgressRow = Selectable<TablesOf<"privacy">["egress"]>

/** Stores records in SQLite. */
function createEgressStore(db: DbOf<"privacy">) {
  const selection = ({ userId, everyones }: EgressReader, { purpose, host }: EgressFilter) =>
    db.selectFrom("egress").where((e) => {
      // Unknown purposes, as in an altered backup or from a later version, aren't shown.
      const conditions: Expression<SqlBool>[] = [
        e("egress.purpose", "in", EgressPurpose.options),
        e("egress.outcome", "in", EgressOutcome.options),
      ]
      if (!everyones) conditions.push(e("egress.userId", "=", userId))
      if (purpose !== undefined) conditions.push(e("egress.purpose", "=", purpose))
      if (host) conditions.push(sql<SqlBool>`instr(egress.host, ${host.toLowerCase()}) > 0`)
      return e.and(conditions)
    })

  return {
    /** Adds records, or updates existing ones. */
    async put(records: readonly ConnectionRecord[]): Promise<void> {
      await db
        .insertInto("egress")
        .values([...records])
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet((e) => ({
            durationMs: e.ref("excluded.durationMs"),
            outcome: e.ref("excluded.outcome"),
            bytesSent: e.ref("excluded.bytesSent"),
            bytesReceived: e.ref("excluded.bytesReceived"),
          })),
        )
        .execute()
    },

    async count(reader: EgressReader, filter: EgressFilter): Promise<number> {
      const { total } = await selection(reader, filter)
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return total
    },

    /** Newest first; only records before the ID `before`, or all. */
    list: (
      reader: EgressReader,
      filter: EgressFilter,
      { limit, offset }: Page,
      before?: string,
    ): Promise<EgressRow[]> =>
      selection(reader, filter)
        .$if(before !== undefined, (query) => query.where("egress.id", "<", before ?? ""))
        .selectAll()
        .orderBy("egress.id", "desc")
        .limit(limit)
        .offset(offset)
        .execute(),

    async clear(): Promise<number> {
      const { numDeletedRows } = await db.deleteFrom("egress").executeTakeFirst()
      return Number(numDeletedRows)
    },

    /** Ends connections that an earlier run left open. */
    async closeOpen(): Promise<void> {
      await db.updateTable("egress").set({ outcome: "failed" }).where("outcome", "=", "open").execute()
    },

    /** Deletes records that started before a time, and all but each person's newest if there are too many. */
    async trim(before: string, maxKept: number): Promise<void> {
      await db.deleteFrom("egress").where("startedAt", "<", before).execute()
      const counts = await db
        .selectFrom("egress")
        .select((e) => ["userId", e.fn.countAll<number>().as("count")])
        .groupBy("userId")
        .orderBy("count")
        .execute()
      let left = maxKept
      for (const [index, { userId, count }] of counts.entries()) {
        // People with few records keep them all, so that no one can displace the records of others.
        const kept = Math.min(count, Math.floor(left / (counts.length - index)))
        left -= kept
        if (kept < count) await deleteOlder(userId, kept)
      }
    },
  }

  /** Deletes all but the newest records of a person, or those that belong to no one. */
  async function deleteOlder(userId: string | null, kept: number): Promise<void> {
    const own = db
      .selectFrom("egress")
      .select("id")
      .where("userId", userId === null ? "is" : "=", userId)
      .orderBy("id", "desc")
    await db
      .deleteFrom("egress")
      .where("userId", userId === null ? "is" : "=", userId)
      .where("id", "<=", own.limit(1).offset(kept))
      .execute()
  }
}

type Names = Promise<ReadonlyMap<string, string>>

/** Current names, by ID, of the people, chats and assistants that connections were for. Deleted ones have no name. */
interface EgressNames {
  people(ids: readonly string[]): Names
  assistants(ids: readonly string[]): Names
  chats(ownerId: string, ids: readonly string[]): Names
}

/** Adds names to records. Chats and assistants of other people aren't named. */
async function addNames(
  rows: readonly EgressRow[],
  reader: EgressReader,
  names: EgressNames,
): Promise<Egress[]> {
  const own = rows.filter(({ userId }) => userId === reader.userId)
  const [people, chats, assistants] = await Promise.all([
    names.people(getIds(rows, "userId")),
    names.chats(reader.userId, getIds(own, "chatId")),
    names.assistants(getIds(own, "assistantId")),
  ])
  return rows.map(({ userId, chatId, assistantId, ...row }) => {
    const isOwn = userId === reader.userId
    return {
      ...row,
      user: named(userId, people),
      chat: isOwn ? named(chatId, chats) : null,
      assistant: isOwn ? named(assistantId, assistants) : null,
    }
  })
}

const getIds = (rows: readonly EgressRow[], column: "userId" | "chatId" | "assistantId") => [
  ...new Set(rows.flatMap((row) => row[column] ?? [])),
]

function named(id: string | null, names: ReadonlyMap<string, string>): { id: string; name: string } | null {
  const name = id === null ? undefined : names.get(id)
  return id === null || name === undefined ? null : { id, name }
}

/** A log of connections that left the computer. Logging never delays a connection or makes it fail. */
export interface EgressLog extends AsyncDisposable {
  record(this: void, record: ConnectionRecord): void
  list(
    reader: EgressReader,
    filter: EgressFilter,
    page: Page,
  ): Promise<{ egress: Egress[]; pagination: Pagination }>
  /** All records, newest first, in pieces. */
  all(reader: EgressReader, filter: EgressFilter): AsyncGenerator<Egress[]>
  /** Returns how many records were removed. */
  clear(): Promise<number>
}

const writeMs = 250
/** Maximum number of records that wait for the database, which may be slow or full. Beyond it, older ones are lost. */
const maxWaiting = 5_000
/** Maximum number of records in one statement. */
const maxTogether = 500
const retentionDays = 90
const dayMs = 24 * 60 * 60_000
const trimmedEvery = 500

export async function openEgressLog({
  db,
  logger,
  names,
  maxKept = 50_000,
  ageNow = Date.now,
}: {
  db: DbOf<"privacy">
  logger: Logger
  names: EgressNames
  /** Maximum number of records; 50,000 by default. */
  maxKept?: number
  /** The current time for computing ages. */
  ageNow?: () => number
}): Promise<EgressLog> {
  const store = createEgressStore(db)
  const waiting = new Map<string, ConnectionRecord>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let addedSinceTrim = 0

  // The disk is probably full, which mustn't prevent the server from starting.
  await store.closeOpen().then(trim).catch(warn)

  function record(each: ConnectionRecord): void {
    waiting.set(each.id, each)
    if (waiting.size > maxWaiting) {
      const [oldest = ""] = waiting.keys()
      waiting.delete(oldest)
    }
    timer ??= setTimeout(() => void write(), writeMs).unref()
  }

  function warn(error: unknown): void {
    logger.warn({ err: error }, "Outgoing connections couldn't be recorded")
  }

  /** Resolves when all records so far are stored, or couldn't be. */
  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeWaiting).catch(warn)
    return writing
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.size > 0) {
      const records = [...waiting.values()].slice(0, maxTogether)
      await store.put(records)
      // A record whose connection ended in the meantime waits again.
      for (const each of records) if (waiting.get(each.id) === each) waiting.delete(each.id)
      addedSinceTrim += records.length
    }
    if (addedSinceTrim >= trimmedEvery) await trim()
  }

  async function trim(): Promise<void> {
    addedSinceTrim = 0
    await store.trim(timestamp(ageNow() - retentionDays * dayMs), maxKept)
  }

  return {
    record,

    async list(reader, filter, page) {
      await write()
      const egress = await addNames(await store.list(reader, filter, page), reader, names)
      const total = await store.count(reader, filter)
      return { egress, pagination: paginate(total, page, egress.length) }
    },

    async *all(reader, filter) {
      await write()
      const page = { limit: maxTogether, offset: 0 }
      let last: string | undefined
      for (;;) {
        const rows = await store.list(reader, filter, page, last)
        if (rows.length > 0) yield addNames(rows, reader, names)
        if (rows.length < maxTogether) return
        last = rows.at(-1)?.id
      }
    },

    async clear() {
      await write()
      return store.clear()
    },

    async [Symbol.asyncDispose]() {
      await write()
    },
  }
}
