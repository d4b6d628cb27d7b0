import type { Kysely, Transaction } from "kysely"
import { AppError } from "../../../shared/contract/errors.ts"

/** A write to be done in a transaction. It may run twice, so it only touches the database. */
export type Write<Tables, T> = (trx: Transaction<Tables>) => Promise<T>

export type GroupedWrites<Tables> = <T>(write: Write<Tables, T>) => Promise<T>

interface Waiting<Tables> {
  write: Write<Tables, unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Whether it is the database that can't be written now: what was tried may even be there. */
const isAway = (error: unknown) => error instanceof AppError && error.code === "unavailable"

/** Writes in one transaction; the event loop waits for it. */
const mostTogether = 200

/**
 * Commits writes that come in the same turn of the event loop together: one wait for the disk instead of many.
 * They run, and their promises settle, in the order they came; one that fails takes no other with it, but another program's
 * lock ends them all: else each group would wait for it again.
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
      for (let first = 0; first < all.length; first += mostTogether)
        await commit(all.slice(first, first + mostTogether))
    } catch (error) {
      for (const { reject } of all) reject(error) // those that have settled stay so
    }
  }

  return <T>(write: Write<Tables, T>) =>
    new Promise<T>((resolve, reject) => {
      const settle = resolve as (value: unknown) => void
      if (waiting.push({ write, resolve: settle, reject }) === 1) setImmediate(() => void commitAll())
    })
}
