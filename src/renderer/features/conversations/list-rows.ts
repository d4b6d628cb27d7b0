import { t } from "i18next"
import type { ChatSearchHit, ConversationSummary } from "../../../shared/contract/conversations.ts"
import { ageGroup } from "../../lib/words/format.ts"

export type Row =
  | { kind: "heading"; key: string; text: string }
  | { kind: "chat"; key: string; chat: ConversationSummary }
  | { kind: "hit"; key: string; hit: ChatSearchHit & { messageId: string } }
  /** A chat whose first question hasn't been asked yet. */
  | { kind: "waiting"; key: string; chatId: string; question: string }

const heading = (text: string): Row => ({ kind: "heading", key: `heading:${text}`, text })

/** Returns the rows of the list, each group under its heading: waiting chats, chats by age, then search hits in their text. */
export function listRows(
  waiting: { chatId: string; question: string }[],
  chats: ConversationSummary[],
  hits: ChatSearchHit[],
): Row[] {
  const rows: Row[] = []
  if (waiting.length > 0) rows.push(heading(t("conversations:waiting")))
  for (const { chatId, question } of waiting) rows.push({ kind: "waiting", key: chatId, chatId, question })
  let group: string | undefined
  for (const chat of chats) {
    const next = ageGroup(chat.updatedAt)
    if (next !== group) rows.push(heading(next))
    group = next
    rows.push({ kind: "chat", key: chat.id, chat })
  }
  const places = hits.flatMap((hit) => (hit.messageId === null ? [] : [{ ...hit, messageId: hit.messageId }]))
  if (places.length > 0) rows.push(heading(t("conversations:inText")))
  for (const hit of places) rows.push({ kind: "hit", key: `hit:${hit.messageId}`, hit })
  return rows
}
