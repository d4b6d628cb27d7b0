import type { KeyCall } from "../../../shared/contract/account.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { Logger } from "../../core/logging/logger.ts"

/** Maximum number of calls kept per key. The newest are kept. */
const maxCalls = 1_000
/** Time that calls stay in memory before they are written. A crash loses the calls of this period. */
const writtenAfterMs = 5_000
const rowsPerInsert = 200

export interface KeyCalls extends AsyncDisposable {
  /** Records a completed call. Doesn't write to the database immediately. */
  note(keyId: string, call: KeyCall): void
  /** Newest first. */
  list(keyId: string): Promise<KeyCall[]>
}

/** Logs the calls made with each key, without bodies or ids. */
export function createKeyCalls(db: DbOf<"accounts">, logger: Logger): KeyCalls {
  /** Calls not yet written, oldest first, at most `maxCalls` per key. */
  let noted = new Map<string, KeyCall[]>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  async function write(calls: ReadonlyMap<string, readonly KeyCall[]>): Promise<void> {
    const rows = [...calls].flatMap(([keyId, keyCalls]) => keyCalls.map((call) => ({ keyId, ...call })))
    await db.transaction().execute(async (transaction) => {
      const existingRows = await transaction
        .selectFrom("apiKeys")
        .select("id")
        .where("id", "in", [...calls.keys()])
        .execute()
      const known = new Set(existingRows.map(({ id }) => id)) // other keys have been revoked in the meantime
      const kept = rows.filter(({ keyId }) => known.has(keyId))
      for (let first = 0; first < kept.length; first += rowsPerInsert)
        await transaction
          .insertInto("keyCalls")
          .values(kept.slice(first, first + rowsPerInsert))
          .execute()
      for (const keyId of known) {
        const oldest = await transaction
          .selectFrom("keyCalls")
          .select("number")
          .where("keyId", "=", keyId)
          .orderBy("number", "desc")
          .limit(1)
          .offset(maxCalls)
          .executeTakeFirst()
        if (oldest)
          await transaction
            .deleteFrom("keyCalls")
            .where("keyId", "=", keyId)
            .where("number", "<=", oldest.number)
            .execute()
      }
    })
  }

  function writeNoted(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const calls = noted
    noted = new Map()
    if (calls.size > 0)
      writing = writing
        .then(() => write(calls))
        .catch((error: unknown) => logger.warn({ err: error }, "API key calls couldn't be recorded"))
    return writing
  }

  return {
    note(keyId, call) {
      const calls = noted.get(keyId) ?? []
      noted.set(keyId, calls)
      calls.push(call)
      if (calls.length > maxCalls) calls.shift()
      timer ??= setTimeout(() => void writeNoted(), writtenAfterMs).unref()
    },

    async list(keyId) {
      await writeNoted()
      return db
        .selectFrom("keyCalls")
        .select(["at", "method", "route", "status", "ms", "ip"])
        .where("keyId", "=", keyId)
        .orderBy("number", "desc")
        .limit(maxCalls)
        .execute()
    },

    async [Symbol.asyncDispose]() {
      await writeNoted()
    },
  }
}
