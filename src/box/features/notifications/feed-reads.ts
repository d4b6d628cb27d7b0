import { sql } from "kysely"
import type { Category } from "../../../shared/contract/notification-categories.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { NotificationRow } from "./row.ts"

export interface FeedFilter {
  unreadOnly?: boolean | undefined
  category?: Category | undefined
  muted?: boolean | undefined
}

/** Identifies a notification when it is sent again. */
export type Keyed = Pick<NotificationRow, "userId" | "senderId"> & { dedupeKey: string }

/** A literal, because SQLite uses a partial index only for a condition that it can read. */
export const no = sql.lit(0)

const listed = [
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
  "question",
  "snoozedUntil",
  "createdAt",
  "notifiedAt",
] as const

/** Reads feeds, from the database or within a transaction. Most queries are for one user. */
export function createFeedReads(db: Pick<DbOf<"notifications">, "selectFrom">) {
  const feed = (userId: string) => db.selectFrom("notifications").where("userId", "=", userId)

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

  return {
    count,

    /** Unread notifications of all users. */
    async unreadOfAll(): Promise<number> {
      const { amount } = await db
        .selectFrom("notificationCounts")
        .where("read", "=", 0)
        .where("muted", "=", 0)
        .select((e) => e.fn.sum<number | null>("amount").as("amount"))
        .executeTakeFirstOrThrow()
      return amount ?? 0
    },

    /** Whether any user has snoozed a notification. */
    async hasSnoozed(): Promise<boolean> {
      const snoozed = db.selectFrom("notifications").select("id").where("snoozedUntil", "is not", null)
      return (await snoozed.limit(1).executeTakeFirst()) !== undefined
    },

    /** Counts per category that has notifications, without muted ones. */
    async countsByCategory(userId: string) {
      const rows = await db
        .selectFrom("notificationCounts")
        .select(["category", "read", "amount"])
        .where("userId", "=", userId)
        .where("muted", "=", 0)
        .where("amount", ">", 0)
        .execute()
      const byCategory = Map.groupBy(rows, ({ category }) => category)
      const sum = (some: typeof rows) => some.reduce((all, { amount }) => all + amount, 0)
      return [...byCategory].map(([category, some]) => ({
        category,
        count: sum(some),
        unread: sum(some.filter(({ read }) => read === 0)),
      }))
    },

    unreadCount: (userId: string) => count(userId, { unreadOnly: true, muted: false }),

    /** The row that the same sender's next notification with this key refreshes. Other senders' rows aren't found. */
    findByKey: ({ userId, senderId, dedupeKey }: Keyed) =>
      feed(userId)
        .selectAll()
        .where(sql`ifnull("senderId", '')`, "=", senderId ?? "")
        .where("dedupeKey", "=", dedupeKey)
        .executeTakeFirst(),

    find: (userId: string, id: string) => feed(userId).where("id", "=", id).selectAll().executeTakeFirst(),

    /** Newest first, without metadata. */
    async list(userId: string, page: Page, filter: FeedFilter) {
      let matching = feed(userId)
      if (filter.unreadOnly === true) matching = matching.where("read", "=", no)
      if (filter.category !== undefined) matching = matching.where("category", "=", filter.category)
      if (filter.muted !== undefined) matching = matching.where("muted", "=", Number(filter.muted))
      const rows = await matching
        .select(listed)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      return { rows, total: await count(userId, filter) }
    },

    /** When the newest notification arrived, according to the clock at that time; null if there is none. */
    async newest(userId: string): Promise<string | null> {
      const row = await feed(userId)
        .select((e) => e.fn.max("createdAt").as("createdAt"))
        .executeTakeFirst()
      return row?.createdAt ?? null
    },
  }
}
