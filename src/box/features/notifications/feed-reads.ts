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

/** What makes a notification the same one when it is sent again. */
export type Keyed = Pick<NotificationRow, "userId" | "senderId"> & { dedupeKey: string }

/** Literal, because SQLite uses a partial index only for a condition that it can read. */
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

/** Reads the feeds, from the database or within a transaction; everything is asked for one user. */
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

    /** Of everybody. */
    async unreadOfAll(): Promise<number> {
      const { amount } = await db
        .selectFrom("notificationCounts")
        .where("read", "=", 0)
        .where("muted", "=", 0)
        .select((e) => e.fn.sum<number | null>("amount").as("amount"))
        .executeTakeFirstOrThrow()
      return amount ?? 0
    },

    /** Whether anybody has put off any. */
    async hasSnoozed(): Promise<boolean> {
      const snoozed = db.selectFrom("notifications").select("id").where("snoozedUntil", "is not", null)
      return (await snoozed.limit(1).executeTakeFirst()) !== undefined
    },

    /** Of each category that has some, without muted ones. */
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

    /** The row that a sender's next send with the same key refreshes: nobody else's. */
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

    /** When the newest one came, by the clock that was then; null when there is none. */
    async newest(userId: string): Promise<string | null> {
      const row = await feed(userId)
        .select((e) => e.fn.max("createdAt").as("createdAt"))
        .executeTakeFirst()
      return row?.createdAt ?? null
    },
  }
}
