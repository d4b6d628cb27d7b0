import type { FoundChats } from "../../../../shared/contract/chat-imports.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { timestamp } from "../../../core/ids.ts"
import { yieldToEventLoop } from "../../../core/waiting/yield-to-event-loop.ts"
import { parseExportedChat } from "./formats.ts"
import { getChatId } from "./import-chat.ts"
import { readExport } from "./read-export.ts"

/** Examines an export without importing anything; returns null if it was stopped. Throws like `readExport`. */
export async function findChats(
  db: DbOf<"chat">,
  ownerId: string,
  path: string,
  isEnded: () => boolean,
  pause?: () => Promise<void>,
): Promise<FoundChats | null> {
  let [chats, here, from, to] = [0, 0, Infinity, -Infinity]
  for await (const element of readExport(path, isEnded, pause)) {
    await yieldToEventLoop()
    const chat = "text" in element ? parseExportedChat(element.text) : null
    if (chat === null) continue
    chats++
    from = Math.min(from, chat.createdAt ?? Infinity)
    to = Math.max(to, chat.updatedAt ?? chat.createdAt ?? -Infinity)
    if (await isHere(db, ownerId, getChatId(chat))) here++
  }
  if (isEnded()) return null
  const moment = (ms: number) => (Number.isFinite(ms) ? timestamp(ms) : null)
  return { chats, here, from: moment(from), to: moment(to) }
}

async function isHere(db: DbOf<"chat">, ownerId: string, chatId: string): Promise<boolean> {
  const row = await db
    .selectFrom("conversations")
    .select("id")
    .where("ownerId", "=", ownerId)
    .where("id", "=", chatId)
    .where("removed", "=", 0)
    .executeTakeFirst()
  return row !== undefined
}
