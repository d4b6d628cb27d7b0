import type { AlsoWrite, DbOf } from "../../core/database/database.ts"
import { createGroupedWrites } from "../../core/database/grouped-writes.ts"
import { createFeedReads, no, type Keyed } from "./feed-reads.ts"
import type { NotificationRow } from "./row.ts"

/** Writes feeds; each operation affects one user, except `wake`. */
export function createFeedWrites(db: DbOf<"notifications">) {
  const write = createGroupedWrites(db)
  const feed = (userId: string) => db.selectFrom("notifications").select("id").where("userId", "=", userId)

  return {
    insert: (row: NotificationRow): Promise<void> =>
      write(async (trx) => {
        await trx.insertInto("notifications").values(row).execute()
      }),

    /** Stores the row, or the result of `refresh` if a row with its key exists. Returns the stored row. */
    upsert: (
      row: NotificationRow & Keyed,
      refresh: (existing: NotificationRow) => NotificationRow,
      also?: AlsoWrite,
    ): Promise<{ stored: NotificationRow; existed: boolean }> =>
      write(async (trx) => {
        await also?.(trx)
        const existing = await createFeedReads(trx).findByKey(row)
        if (!existing) {
          await trx.insertInto("notifications").values(row).execute()
          return { stored: row, existed: false }
        }
        const stored = refresh(existing)
        await trx.updateTable("notifications").set(stored).where("id", "=", existing.id).execute()
        return { stored, existed: true }
      }),

    /** Applies `change` to the row that `find` returns. Returns the changed row, or undefined if there is none. */
    change: (
      find: (reads: ReturnType<typeof createFeedReads>) => Promise<NotificationRow | undefined>,
      change: (row: NotificationRow) => Partial<NotificationRow>,
      also?: AlsoWrite,
    ): Promise<NotificationRow | undefined> =>
      write(async (trx) => {
        await also?.(trx)
        const row = await find(createFeedReads(trx))
        if (!row) return undefined
        const changes = change(row)
        await trx.updateTable("notifications").set(changes).where("id", "=", row.id).execute()
        return { ...row, ...changes }
      }),

    /** Marks up to `limit` unread notifications as read and returns their number. Those newer than `until` stay unread. */
    async markRead(userId: string, until: string, limit: number): Promise<number> {
      const unread = feed(userId).where("read", "=", no).where("createdAt", "<=", until).limit(limit)
      const { numUpdatedRows } = await db
        .updateTable("notifications")
        .set({ read: 1, seen: 1 })
        .where("id", "in", unread)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    /** Marks the unseen notifications among these as seen and returns them. */
    markSeen: (userId: string, ids: readonly string[]): Promise<NotificationRow[]> =>
      write((trx) =>
        trx
          .updateTable("notifications")
          .set({ seen: 1 })
          .where("userId", "=", userId)
          .where("id", "in", ids)
          .where("seen", "=", 0)
          .returningAll()
          .execute(),
      ),

    /** Makes notifications snoozed until `now` unread again, as if they had just been sent, and returns them. */
    wake: (now: string, limit: number): Promise<NotificationRow[]> =>
      write(async (trx) => {
        const due = trx
          .selectFrom("notifications")
          .select("id")
          .where("snoozedUntil", "is not", null)
          .where("snoozedUntil", "<=", now)
          .limit(limit)
        return trx
          .updateTable("notifications")
          .set({ read: 0, seen: 0, snoozedUntil: null, createdAt: now, notifiedAt: now })
          .where("id", "in", due)
          .returningAll()
          .execute()
      }),

    /**
     * Deletes up to `limit` of the notifications beyond the newest `most`. It takes those of the sender who has the most in the feed: the
     * oldest read ones first, then the oldest. A sender who floods a feed loses only their own notifications.
     */
    async trim(userId: string, most: number, limit: number): Promise<void> {
      const over = Math.min(limit, (await createFeedReads(db).count(userId, {})) - most)
      if (over <= 0) return
      const { senderId } = await db
        .selectFrom("notifications")
        .select(["senderId", (e) => e.fn.countAll().as("amount")])
        .where("userId", "=", userId)
        .groupBy("senderId")
        .orderBy("amount", "desc")
        .limit(1)
        .executeTakeFirstOrThrow()
      const oldest = feed(userId)
        .where("senderId", senderId === null ? "is" : "=", senderId)
        .orderBy("createdAt")
        .orderBy("id")
      const read = await oldest.where("read", "=", 1).limit(over).execute()
      const left = over - read.length
      const unread = left > 0 ? await oldest.where("read", "=", 0).limit(left).execute() : []
      const ids = [...read, ...unread].map(({ id }) => id)
      await db.deleteFrom("notifications").where("id", "in", ids).execute()
    },

    /** Returns whether it existed. */
    async remove(userId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom("notifications")
        .where("userId", "=", userId)
        .where("id", "=", id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}
