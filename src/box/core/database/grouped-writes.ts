import type { Kysely, Transaction } from "kysely"
import { AppError } from "../../../shared/contract/errors.ts"

/** A write to be performed in a transaction. It may run twice, so it must only change the database. */
export type Write<Tables, T> = (trx: Transaction<Tables>) => Promise<T>

export type GroupedWrites<Tables> = <T>(write: Write<Tables, T>) => Promise<T>

interface Waiting<Tables> {
  write: Write<Tables, unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Whether the database can't be written now. The attempted changes may even have been stored. */
const isAway = (error: unknown) => error instanceof AppError && error.code === "unavailable"

/** Maximum number of writes in one transaction; they block the event loop. */
const maxTogether = 200

/**
 * Commits writes from the same event-loop turn together, to wait for the disk once instead of many times. They run, and their promises
 * settle, in order. A failing write doesn't affect the others, but another program's lock rejects all of them: otherwise each group would
 * wait for the lock again.
 */
export function createGroupedWrites<Tables>(db: Kysely<Tables>): GroupedWrites<Tables> {
  let waiting: Waiting<Tables>[] = []

  async function commit(group: Waiting<Tables>[]): Promise<void> {
    try {
      const results = await db.transaction().execute(async (trx) => {
        const all: unknown[] = []
        for (const { write } of group) all.push(await write(trx))
        return all
      })
      for (const [index, { resolve }] of group.entries()) resolve(results[index])
    } catch (error) {
      const [only] = group
      if (isAway(error)) throw error
      if (only && group.length === 1) only.reject(error)
      else for (const single of group) await commit([single])
    }
  }

  async function commitAll(): Promise<void> {
    const all = waiting
    waiting = []
    try {
      for (let first = 0; first < all.length; first += maxTogether)
        await commit(all.slice(first, first + maxTogether))
    } catch (error) {
      for (const { reject } of all) reject(error) // has no effect on those that have already settled
    }
  }

  return <T>(write: Write<Tables, T>) =>
    new Promise<T>((resolve, reject) => {
      const settle = resolve as (value: unknown) => void
      if (waiting.push({ write, resolve: settle, reject }) === 1) setImmediate(() => void commitAll())
    })
}
