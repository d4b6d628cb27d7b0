import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { Egress } from "../../../shared/contract/privacy.ts"
import type { DbOf } from "../../core/database/database.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { ConnectionRecord } from "../../core/outbound/outbound.ts"
import { addNames, type EgressNames } from "./egress-names.ts"
import { createEgressStore, type EgressFilter, type EgressReader } from "./egress-store.ts"

export interface EgressLogDeps {
  db: DbOf<"privacy">
  logger: Logger
  names: EgressNames
  /** Maximum number of records; 50,000 by default. */
  maxKept?: number
  /** The current time for computing ages. */
  ageNow?: () => number
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
}: EgressLogDeps): Promise<EgressLog> {
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
