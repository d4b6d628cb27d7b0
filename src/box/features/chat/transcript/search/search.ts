import { sql } from "kysely"
import type { ChatSearchHit } from "../../../../../shared/contract/conversations.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import { containsFolded } from "../../../../core/database/fold-case.ts"
import { quotingNotices } from "../../../../tools/withheld.ts"
import { createCandidates, type Candidate } from "./candidates.ts"
import { createTextFinder } from "./found-text.ts"

const maxWords = 12
const hitsPerChat = 2
/** Number of hits read and ranked for each requested hit. */
const rankedPerHit = 4

/** Full-text search over the messages and titles of one owner's chats. */
export function createChatSearch(db: DbOf<"chat">) {
  const candidates = createCandidates(db)

  return async function search(
    ownerId: string,
    query: string,
    limit: number,
    readsQuotes = true,
  ): Promise<ChatSearchHit[]> {
    const words = query
      .normalize("NFC")
      .split(/[\s\p{Cc}]+/u)
      .filter((word) => word !== "")
      .slice(0, maxWords)
    if (words.length === 0) return []
    const find = createTextFinder(words)
    const found = firstOfEach(await candidates(ownerId, words)).slice(0, limit * rankedPerHit)
    const titled = await titledLike(ownerId, words, limit)
    const chats = await getChats(ownerId, [...found.map((hit) => hit.conversationId), ...titled])
    const texts = await getTexts(
      found.map((hit) => hit.messageId),
      readsQuotes,
    )

    const hits = found.flatMap(({ id, conversationId, messageId }) => {
      const chat = chats.get(conversationId)
      const text = texts.get(messageId)
      if (!chat || text === undefined) return []
      const { complete, quality, snippet } = find(text)
      return complete ? [{ id, quality, hit: { ...chat, messageId, snippet } }] : []
    })
    const answered = new Set(hits.map(({ hit }) => hit.chatId))
    const byTitle = titled.flatMap((chatId) => {
      const chat = chats.get(chatId)
      if (!chat || answered.has(chatId)) return []
      const { quality, snippet } = find(chat.title)
      return [{ id: 0, quality, hit: { ...chat, messageId: null, snippet } }]
    })
    return [...hits, ...byTitle]
      .sort((a, b) => b.quality - a.quality || b.id - a.id)
      .slice(0, limit)
      .map(({ hit }) => hit)
  }

  async function titledLike(ownerId: string, words: readonly string[], limit: number): Promise<string[]> {
    const rows = await db
      .selectFrom("conversations")
      .select("id")
      .where("ownerId", "=", ownerId)
      .where("removed", "=", 0)
      .where((e) => e.and(words.map((word) => containsFolded("foldedTitle", word))))
      .orderBy("updatedAt", "desc")
      .limit(limit)
      .execute()
    return rows.map((row) => row.id)
  }

  async function getChats(ownerId: string, ids: readonly string[]) {
    const rows = await db
      .selectFrom("conversations")
      .select(["id as chatId", "title", "updatedAt"])
      .where("ownerId", "=", ownerId)
      .where("removed", "=", 0)
      .where("id", "in", [...new Set(ids)])
      .execute()
    return new Map(rows.map((row) => [row.chatId, row]))
  }

  async function getTexts(messageIds: readonly string[], readsQuotes: boolean): Promise<Map<string, string>> {
    const hidden = readsQuotes ? [] : quotingNotices
    const rows = await db
      .selectFrom("messages")
      .select(["id", sql<string>`substr(content, 1, 20000)`.as("text")])
      .where("id", "in", [...messageIds])
      .where((e) => e.and(hidden.map((code) => e(sql<number>`instr(parts, ${`"code":"${code}"`})`, "=", 0))))
      .execute()
    return new Map(rows.map((row) => [row.id, row.text]))
  }
}

/** Returns the newest hits of each chat. */
function firstOfEach(candidates: readonly Candidate[]): Candidate[] {
  const counts = new Map<string, number>()
  return candidates.filter(({ conversationId }) => {
    const count = (counts.get(conversationId) ?? 0) + 1
    counts.set(conversationId, count)
    return count <= hitsPerChat
  })
}
