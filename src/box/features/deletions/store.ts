import { sql, type SqlBool } from "kysely"
import type { DeletionKind } from "../../../shared/contract/deletions.ts"
import type { Deletion } from "../../core/deletable.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { hashSecret, timestamp } from "../../core/ids.ts"

export interface StoredDeletion extends Deletion {
  number: number
}

const columns = ["number", "ownerId", "kind", "itemId", "kept"] as const

/** Rows of the `deletions` table. A row without a token can't be undone. */
export class DeletionStore {
  readonly #db: DbOf<"deletions">

  constructor(db: DbOf<"deletions">) {
    this.#db = db
  }

  /** Returns the time in ms until the next deletion is due, at most `undoMs`; null if there are none. */
  async nextMs(undoMs: number): Promise<number | null> {
    const undoable = this.#db.selectFrom("deletions").select("until").where("tokenHash", "is not", null)
    const next = await undoable.orderBy("until").limit(1).executeTakeFirst()
    if (next) return Math.min(Date.parse(next.until) - Date.now(), undoMs)
    return (await this.#isAny()) ? undoMs : null // some couldn't be ended
  }

  async #isAny(): Promise<boolean> {
    return (await this.#db.selectFrom("deletions").select("number").limit(1).executeTakeFirst()) !== undefined
  }

  /** Returns when the token expires. */
  async add(
    transaction: AnyTransaction,
    deletions: readonly Deletion[],
    token: string,
    undoMs: number,
  ): Promise<string> {
    const until = timestamp(Date.now() + undoMs)
    const tokenHash = hashSecret(token)
    for (const deletion of deletions)
      await ownTables<"deletions">(transaction)
        .insertInto("deletions")
        .values({ ...deletion, tokenHash, until })
        .execute()
    return until
  }

  /** Returns the deletions of a token in the order in which they were added. */
  find(ownerId: string, token: string): Promise<StoredDeletion[]> {
    return this.#db
      .selectFrom("deletions")
      .select(columns)
      .where("ownerId", "=", ownerId)
      .where("tokenHash", "=", hashSecret(token))
      .where("until", ">", timestamp())
      .orderBy("number")
      .execute()
  }

  /** Removes the deletion if it can still be undone, and returns whether it could. */
  async use(transaction: AnyTransaction, number: number, token: string): Promise<boolean> {
    const { numDeletedRows } = await ownTables<"deletions">(transaction)
      .deleteFrom("deletions")
      .where("number", "=", number) // the number may already belong to another deletion
      .where("tokenHash", "=", hashSecret(token))
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  /**
   * Returns the deletions that can no longer be undone, except those being restored. If the clock was set back, limits each deadline to
   * `undoMs` from now.
   */
  async due(undoMs: number, returning: ReadonlySet<number>): Promise<StoredDeletion[]> {
    if (!(await this.#isAny())) return [] // no write needed: the disk may be full
    const now = Date.now()
    const latest = timestamp(now + undoMs)
    const change = this.#db.updateTable("deletions").where("tokenHash", "is not", null)
    await change.set({ until: latest }).where("until", ">", latest).execute()
    const over = change.set({ tokenHash: null }).where("until", "<=", timestamp(now))
    const isReturning = sql<SqlBool>`number IN (SELECT cast(value AS bigint) FROM json_each(${JSON.stringify([...returning])}))`
    await over.where((e) => e.not(isReturning)).execute()
    return this.#db.selectFrom("deletions").select(columns).where("tokenHash", "is", null).execute()
  }

  /** Returns an item's deletions and makes them final. */
  finalise(ownerId: string, kind: DeletionKind, itemId: string): Promise<StoredDeletion[]> {
    return this.#db
      .updateTable("deletions")
      .set({ tokenHash: null })
      .where("ownerId", "=", ownerId)
      .where("kind", "=", kind)
      .where("itemId", "=", itemId)
      .returning(columns)
      .execute()
  }

  /** Returns whether the deletion must still be ended. It may have ended already, and its number may belong to another one. */
  async isDue({ number, ownerId, kind, itemId, kept }: StoredDeletion): Promise<boolean> {
    const found = await this.#db
      .selectFrom("deletions")
      .select("number")
      .where((e) => e.and({ number, ownerId, kind, itemId, kept }))
      .where("tokenHash", "is", null)
      .executeTakeFirst()
    return found !== undefined
  }

  async forget(number: number): Promise<void> {
    await this.#db
      .deleteFrom("deletions")
      .where("number", "=", number)
      .where("tokenHash", "is", null)
      .execute()
  }
}

export const createDeletionStore = (db: DbOf<"deletions">): DeletionStore => new DeletionStore(db)

/** Makes all deletions of a restored backup final. */
export async function endDeletions(db: DbOf<"deletions">): Promise<void> {
  await db.updateTable("deletions").set({ tokenHash: null }).execute()
}
