import { sql } from "kysely"
import type { Category } from "../../../shared/contract/notification-categories.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import { createGroupedWrites } from "../../core/database/grouped-writes.ts"
import type { NotificationRow } from "./row.ts"

export interface FeedFilter {
  unreadOnly?: boolean | undefined
  category?: Category | undefined
  muted?: boolean | undefined
}

/** What makes a notification the same one when it is sent again. */
type Keyed = Pick<NotificationRow, "userId" | "senderId"> & { dedupeKey: string }

type Reader = Pick<DbOf<"notifications">, "selectFrom">

/** Literal, because SQLite uses a partial index only for a condition that it can read. */
const no = sql.lit(0)

/** The feeds of all users; everything is asked for one of them. */
export function createNotificationStore(db: DbOf<"notifications">) {
  const write = createGroupedWrites(db)
  const owned = (from: Reader, userId: string, id: string) =>
    from.selectFrom("notifications").where("userId", "=", userId).where("id", "=", id)

  async function count(userId: string, filter: FeedFilter): Promise<number> {
    let counts = db.selectFrom("notificationCounts").where("userId", "=", userId)
    if (filter.unreadOnly === true) counts = counts.where("read", "=", 0)
    if (filter.category !== undefined) counts = counts.where("category", "=", filter.category)
    if (filter.muted !== undefined) counts = counts.where("muted", "=", Number(filter.muted))
    const { amount } = await counts
      .select((e) => e.fn.sum<number | null>("amount").as("amount"))
      .executeTakeFirstOrThrow()
    return amount ?? 0
  }

  /** The row that a sender's next send with the same key refreshes: nobody else's. */
  const findByKey = (from: Reader, { userId, senderId, dedupeKey }: Keyed) =>
    from
      .selectFrom("notifications")
      .selectAll()
      .where("userId", "=", userId)
      .where(sql`ifnull("senderId", '')`, "=", senderId ?? "")
      .where("dedupeKey", "=", dedupeKey)
      .executeTakeFirst()

  return {
    unreadCount: (userId: string) => count(userId, { unreadOnly: true, muted: false }),

    insert: (row: NotificationRow): Promise<void> =>
      write(async (trx) => {
        await trx.insertInto("notifications").values(row).execute()
      }),

    findByKey: (keyed: Keyed) => findByKey(db, keyed),

    /** Stores the row, or what `refresh` makes of the one that has its key already. Answers what is stored now. */
    upsert: (
      row: NotificationRow & Keyed,
      refresh: (existing: NotificationRow) => NotificationRow,
    ): Promise<{ stored: NotificationRow; existed: boolean }> =>
      write(async (trx) => {
        const existing = await findByKey(trx, row)
        if (!existing) {
          await trx.insertInto("notifications").values(row).execute()
          return { stored: row, existed: false }
        }
        const stored = refresh(existing)
        await trx.updateTable("notifications").set(stored).where("id", "=", existing.id).execute()
        return { stored, existed: true }
      }),

    /** Newest first, without metadata. */
    async list(userId: string, page: Page, filter: FeedFilter) {
      let matching = db.selectFrom("notifications").where("userId", "=", userId)
      if (filter.unreadOnly === true) matching = matching.where("read", "=", no)
      if (filter.category !== undefined) matching = matching.where("category", "=", filter.category)
      if (filter.muted !== undefined) matching = matching.where("muted", "=", Number(filter.muted))
      const rows = await matching
        .select([
          "id",
          "userId",
          "title",
          "description",
          "preview",
          "type",
          "category",
          "deepLink",
          "chatId",
          "sender",
          "read",
          "seen",
          "muted",
          "silent",
          "silentToast",
          "senderId",
          "dedupeKey",
          "news",
          "createdAt",
          "notifiedAt",
        ])
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      return { rows, total: await count(userId, filter) }
    },

    find: (userId: string, id: string) => owned(db, userId, id).selectAll().executeTakeFirst(),

    /** Changes the flags to what `change` makes of the row; answers the row, undefined when there is none. */
    changeFlags: (
      userId: string,
      id: string,
      change: (row: NotificationRow) => { read: number; seen: number },
    ): Promise<NotificationRow | undefined> =>
      write(async (trx) => {
        const row = await owned(trx, userId, id).selectAll().executeTakeFirst()
        if (!row) return undefined
        const flags = change(row)
        await trx.updateTable("notifications").set(flags).where("id", "=", id).execute()
        return { ...row, ...flags }
      }),

    /** When the newest one came, by the clock that was then; null when there is none. */
    async newest(userId: string): Promise<string | null> {
      const row = await db
        .selectFrom("notifications")
        .select((e) => e.fn.max("createdAt").as("createdAt"))
        .where("userId", "=", userId)
        .executeTakeFirst()
      return row?.createdAt ?? null
    },

    /** Marks up to `limit` unread ones read; answers how many. Those that come later than `until` stay unread. */
    async markRead(userId: string, until: string, limit: number): Promise<number> {
      const unread = db
        .selectFrom("notifications")
        .select("id")
        .where("userId", "=", userId)
        .where("read", "=", no)
        .where("createdAt", "<=", until)
        .limit(limit)
      const { numUpdatedRows } = await db
        .updateTable("notifications")
        .set({ read: 1, seen: 1 })
        .where("id", "in", unread)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    /** Marks those that weren't seen yet; answers them. */
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

    /** Deletes up to `limit` of what is beyond the newest `most`: the oldest that were read, or else the oldest. */
    async trim(userId: string, most: number, limit: number): Promise<void> {
      const over = Math.min(limit, (await count(userId, {})) - most)
      if (over <= 0) return
      const oldest = db
        .selectFrom("notifications")
        .select("id")
        .where("userId", "=", userId)
        .orderBy("createdAt")
        .orderBy("id")
      const read = await oldest.where("read", "=", 1).limit(over).execute()
      const unread =
        read.length < over
          ? await oldest
              .where("read", "=", 0)
              .limit(over - read.length)
              .execute()
          : []
      const ids = [...read, ...unread].map(({ id }) => id)
      await db.deleteFrom("notifications").where("id", "in", ids).execute()
    },

    /** Whether there was one. */
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
