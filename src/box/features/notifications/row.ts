import type { Insertable, Selectable } from "kysely"
import { BoxNews } from "../../../shared/contract/box-news.ts"
import { categories } from "../../../shared/contract/notification-categories.ts"
import {
  Sender,
  type Notification,
  type NotificationDraft,
  type StoredNotification,
} from "../../../shared/contract/notifications.ts"
import { ToldQuestion } from "../../../shared/contract/questions.ts"
import { jsonObject } from "../../../shared/contract/primitives.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { readStored } from "../../core/database/stored-json.ts"

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
