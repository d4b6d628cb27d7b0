import { type Insertable, type Selectable, sql } from "kysely"
import { BoxNews } from "../../../shared/contract/box-news.ts"
import {
  categories,
  type Category,
  Sender,
  type Notification,
  type NotificationDraft,
  type StoredNotification,
} from "../../../shared/contract/notifications.ts"
import { jsonObject, type Page } from "../../../shared/contract/primitives.ts"
import { ToldQuestion } from "../../../shared/contract/questions.ts"
import type { DbOf, AlsoWrite } from "../../core/database/database.ts"
import { createGroupedWrites, type GroupedWrites } from "../../core/database/grouped-writes.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

const Metadata = jsonObject()

export type NotificationRow = Selectable<TablesOf<"notifications">["notifications"]>

/** The sender: a user, or the server itself with a notification or a question. */
export type SentBy = { userId: string } | { news: BoxNews } | { question: ToldQuestion }

/** The row of a notification that was just sent. */
export function toRow(
  draft: NotificationDraft,
  given: { id: string; userId: string; by: SentBy; muted: boolean; now: string },
): Insertable<TablesOf<"notifications">["notifications"]> & NotificationRow {
  const { id, userId, by, muted, now } = given
  return {
    id,
    userId,
    title: draft.title,
    description: draft.description ?? draft.body ?? "",
    preview: draft.preview ?? null,
    type: draft.type,
    category: draft.category,
    deepLink: draft.deepLink ?? null,
    chatId: draft.chatId ?? null,
    sender: JSON.stringify(getSender(draft)),
    read: Number(draft.read),
    seen: Number(draft.read),
    muted: Number(muted),
    silent: Number(draft.silent),
    silentToast: Number(draft.silentToast),
    senderId: "userId" in by ? by.userId : null,
    dedupeKey: draft.dedupeKey ?? null,
    metadata: draft.metadata === undefined ? null : JSON.stringify(draft.metadata),
    news: "news" in by ? JSON.stringify(by.news) : null,
    question: "question" in by ? questionText(by.question) : null,
    snoozedUntil: null,
    createdAt: now,
    notifiedAt: now,
  }
}

/** Stored data of a question. */
export const questionText = ({ id, choices, status, answer }: ToldQuestion): string =>
  JSON.stringify({ id, choices, status, answer })

/** A given sender replaces `icon` and `name` completely. Without it, they make a `system` sender. */
function getSender({ sender, icon, name }: NotificationDraft): Sender {
  if (sender) return sender
  return {
    kind: "system",
    ...(name === undefined ? {} : { name }),
    ...(icon === undefined ? {} : { icon }),
  }
}

export function present(row: Omit<NotificationRow, "metadata">): Notification {
  const news = row.news === null ? undefined : readStored(BoxNews, row.news)
  const question = row.question === null ? undefined : readStored(ToldQuestion, row.question)
  const sender = readStored(Sender, row.sender) ?? { kind: "system" as const }
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    ...(row.preview === null ? {} : { preview: row.preview }),
    ...(news === undefined ? {} : { news }),
    ...(question === undefined ? {} : { question }),
    type: row.type,
    category: row.category,
    ...(row.deepLink === null ? {} : { deepLink: row.deepLink }),
    chatId: row.chatId,
    icon: sender.icon ?? categories[row.category].icon,
    sender,
    read: row.read === 1,
    seen: row.seen === 1,
    muted: row.muted === 1,
    silent: row.silent === 1,
    silentToast: row.silentToast === 1,
    snoozedUntil: row.snoozedUntil,
    createdAt: row.createdAt,
    notifiedAt: row.notifiedAt,
  }
}

export function presentStored(row: NotificationRow): StoredNotification {
  const metadata = row.metadata === null ? null : (readStored(Metadata, row.metadata) ?? null)
  return { ...present(row), dedupeKey: row.dedupeKey, metadata }
}

export interface FeedFilter {
  unreadOnly?: boolean | undefined
  category?: Category | undefined
  muted?: boolean | undefined
}

/** Identifies a notification when it is sent again. */
type Keyed = Pick<NotificationRow, "userId" | "senderId"> & { dedupeKey: string }

/** A literal, because SQLite uses a partial index only for a condition that it can read. */
const no = sql.lit(0)

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
export class FeedReads {
  readonly #db: Pick<DbOf<"notifications">, "selectFrom">

  constructor(db: Pick<DbOf<"notifications">, "selectFrom">) {
    this.#db = db
  }

  async count(userId: string, filter: FeedFilter): Promise<number> {
    let counts = this.#db.selectFrom("notificationCounts").where("userId", "=", userId)
    if (filter.unreadOnly === true) counts = counts.where("read", "=", 0)
    if (filter.category !== undefined) counts = counts.where("category", "=", filter.category)
    if (filter.muted !== undefined) counts = counts.where("muted", "=", Number(filter.muted))
    const { amount } = await counts
      .select((e) => e.fn.sum<number | null>("amount").as("amount"))
      .executeTakeFirstOrThrow()
    return amount ?? 0
  }

  /** Unread notifications of all users. */
  async unreadOfAll(): Promise<number> {
    const { amount } = await this.#db
      .selectFrom("notificationCounts")
      .where("read", "=", 0)
      .where("muted", "=", 0)
      .select((e) => e.fn.sum<number | null>("amount").as("amount"))
      .executeTakeFirstOrThrow()
    return amount ?? 0
  }

  /** Whether any user has snoozed a notification. */
  async hasSnoozed(): Promise<boolean> {
    const snoozed = this.#db.selectFrom("notifications").select("id").where("snoozedUntil", "is not", null)
    return (await snoozed.limit(1).executeTakeFirst()) !== undefined
  }

  /** Counts per category that has notifications, without muted ones. */
  async countsByCategory(userId: string) {
    const rows = await this.#db
      .selectFrom("notificationCounts")
      .select(["category", "read", "amount"])
      .where("userId", "=", userId)
      .where("muted", "=", 0)
      .where("amount", ">", 0)
      .orderBy("category")
      .execute()
    const byCategory = Map.groupBy(rows, ({ category }) => category)
    const sum = (some: typeof rows) => some.reduce((all, { amount }) => all + amount, 0)
    return [...byCategory].map(([category, some]) => ({
      category,
      count: sum(some),
      unread: sum(some.filter(({ read }) => read === 0)),
    }))
  }

  unreadCount(userId: string) {
    return this.count(userId, { unreadOnly: true, muted: false })
  }

  /** The row that the same sender's next notification with this key refreshes. Other senders' rows aren't found. */
  findByKey({ userId, senderId, dedupeKey }: Keyed) {
    return this.#feed(userId)
      .selectAll()
      .where(sql`ifnull("senderId", '')`, "=", senderId ?? "")
      .where("dedupeKey", "=", dedupeKey)
      .executeTakeFirst()
  }

  #feed(userId: string) {
    return this.#db.selectFrom("notifications").where("userId", "=", userId)
  }

  find(userId: string, id: string) {
    return this.#feed(userId).where("id", "=", id).selectAll().executeTakeFirst()
  }

  /** Newest first, without metadata. */
  async list(userId: string, page: Page, filter: FeedFilter) {
    let matching = this.#feed(userId)
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
    return { rows, total: await this.count(userId, filter) }
  }

  /** When the newest notification arrived, according to the clock at that time; null if there is none. */
  async newest(userId: string): Promise<string | null> {
    const row = await this.#feed(userId)
      .select((e) => e.fn.max("createdAt").as("createdAt"))
      .executeTakeFirst()
    return row?.createdAt ?? null
  }
}

export const createFeedReads = (db: Pick<DbOf<"notifications">, "selectFrom">): FeedReads => new FeedReads(db)

/** Writes feeds; each operation affects one user, except `wake`. */
export class FeedWrites {
  readonly #db: DbOf<"notifications">
  readonly #write: GroupedWrites<TablesOf<"notifications">>

  constructor(db: DbOf<"notifications">) {
    this.#db = db
    this.#write = createGroupedWrites(db)
  }

  insert(row: NotificationRow): Promise<void> {
    return this.#write(async (trx) => {
      await trx.insertInto("notifications").values(row).execute()
    })
  }

  /** Stores the row, or the result of `refresh` if a row with its key exists. Returns the stored row. */
  upsert(
    row: NotificationRow & Keyed,
    refresh: (existing: NotificationRow) => NotificationRow,
    also?: AlsoWrite,
  ): Promise<{ stored: NotificationRow; existed: boolean }> {
    return this.#write(async (trx) => {
      await also?.(trx)
      const existing = await createFeedReads(trx).findByKey(row)
      if (!existing) {
        await trx.insertInto("notifications").values(row).execute()
        return { stored: row, existed: false }
      }
      const stored = refresh(existing)
      await trx.updateTable("notifications").set(stored).where("id", "=", existing.id).execute()
      return { stored, existed: true }
    })
  }

  /** Applies `change` to the row that `find` returns. Returns the changed row, or undefined if there is none. */
  change(
    find: (reads: ReturnType<typeof createFeedReads>) => Promise<NotificationRow | undefined>,
    change: (row: NotificationRow) => Partial<NotificationRow>,
    also?: AlsoWrite,
  ): Promise<NotificationRow | undefined> {
    return this.#write(async (trx) => {
      await also?.(trx)
      const row = await find(createFeedReads(trx))
      if (!row) return undefined
      const changes = change(row)
      await trx.updateTable("notifications").set(changes).where("id", "=", row.id).execute()
      return { ...row, ...changes }
    })
  }

  /** Marks up to `limit` unread notifications as read and returns their number. Those newer than `until` stay unread. */
  async markRead(userId: string, until: string, limit: number): Promise<number> {
    const unread = this.#feed(userId).where("read", "=", no).where("createdAt", "<=", until).limit(limit)
    const { numUpdatedRows } = await this.#db
      .updateTable("notifications")
      .set({ read: 1, seen: 1 })
      .where("id", "in", unread)
      .executeTakeFirst()
    return Number(numUpdatedRows)
  }

  #feed(userId: string) {
    return this.#db.selectFrom("notifications").select("id").where("userId", "=", userId)
  }

  /** Marks the unseen notifications among these as seen and returns them. */
  markSeen(userId: string, ids: readonly string[]): Promise<NotificationRow[]> {
    return this.#write((trx) =>
      trx
        .updateTable("notifications")
        .set({ seen: 1 })
        .where("userId", "=", userId)
        .where("id", "in", ids)
        .where("seen", "=", 0)
        .returningAll()
        .execute(),
    )
  }

  /** Makes notifications snoozed until `now` unread again, as if they had just been sent, and returns them. */
  wake(now: string, limit: number): Promise<NotificationRow[]> {
    return this.#write(async (trx) => {
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
    })
  }

  /**
   * Deletes up to `limit` of the notifications beyond the newest `max`. It takes those of the sender who has the most in the feed: the
   * oldest read ones first, then the oldest. A sender who floods a feed loses only their own notifications.
   */
  async trim(userId: string, max: number, limit: number): Promise<void> {
    const over = Math.min(limit, (await createFeedReads(this.#db).count(userId, {})) - max)
    if (over <= 0) return
    const { senderId } = await this.#db
      .selectFrom("notifications")
      .select(["senderId", (e) => e.fn.countAll().as("amount")])
      .where("userId", "=", userId)
      .groupBy("senderId")
      .orderBy("amount", "desc")
      .limit(1)
      .executeTakeFirstOrThrow()
    const oldest = this.#feed(userId)
      .where("senderId", senderId === null ? "is" : "=", senderId)
      .orderBy("createdAt")
      .orderBy("id")
    const read = await oldest.where("read", "=", 1).limit(over).execute()
    const left = over - read.length
    const unread = left > 0 ? await oldest.where("read", "=", 0).limit(left).execute() : []
    const ids = [...read, ...unread].map(({ id }) => id)
    await this.#db.deleteFrom("notifications").where("id", "in", ids).execute()
  }

  /** Returns whether it existed. */
  async remove(userId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("notifications")
      .where("userId", "=", userId)
      .where("id", "=", id)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }
}

export const createFeedWrites = (db: DbOf<"notifications">): FeedWrites => new FeedWrites(db)
