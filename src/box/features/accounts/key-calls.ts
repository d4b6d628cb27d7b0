import type { KeyCall } from "../../../shared/contract/account.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { Logger } from "../../core/logging/logger.ts"

/** Calls of one key that are kept: the newest. */
const mostCalls = 1_000
/** How long calls stay in memory before they are written; a crash forgets as many. */
const writtenAfterMs = 5_000
const rowsPerInsert = 200

export interface KeyCalls extends AsyncDisposable {
  /** Notes a call that was answered. Costs no write by itself. */
  note(keyId: string, call: KeyCall): void
  /** Newest first. */
  list(keyId: string): Promise<KeyCall[]>
}

/** What was called with each key (extensions.md 4): no bodies, no ids. */
export function createKeyCalls(db: DbOf<"accounts">, logger: Logger): KeyCalls {
  /** Not written yet, the oldest first, at most `mostCalls` of each key. */
  let noted = new Map<string, KeyCall[]>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  async function write(calls: ReadonlyMap<string, readonly KeyCall[]>): Promise<void> {
    const rows = [...calls].flatMap(([keyId, ofKey]) => ofKey.map((call) => ({ keyId, ...call })))
    await db.transaction().execute(async (transaction) => {
      const there = await transaction
        .selectFrom("apiKeys")
        .select("id")
        .where("id", "in", [...calls.keys()])
        .execute()
      const known = new Set(there.map(({ id }) => id)) // others were revoked meanwhile
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
          .offset(mostCalls)
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
        .catch((error: unknown) => logger.warn({ err: error }, "Calls of keys weren't written down"))
    return writing
  }

  return {
    note(keyId, call) {
      const calls = noted.get(keyId) ?? []
      noted.set(keyId, calls)
      calls.push(call)
      if (calls.length > mostCalls) calls.shift()
      timer ??= setTimeout(() => void writeNoted(), writtenAfterMs).unref()
    },

    async list(keyId) {
      await writeNoted()
      return db
        .selectFrom("keyCalls")
        .select(["at", "method", "route", "status", "ms", "ip"])
        .where("keyId", "=", keyId)
        .orderBy("number", "desc")
        .limit(mostCalls)
        .execute()
    },

    async [Symbol.asyncDispose]() {
      await writeNoted()
    },
  }
}
