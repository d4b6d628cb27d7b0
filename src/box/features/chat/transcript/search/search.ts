import { sql } from "kysely"
import type { ChatSearchHit } from "../../../../../shared/contract/conversations.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import { containsFolded } from "../../../../core/database/fold-case.ts"
import { quotingNotices } from "../../../../tools/withheld.ts"
import { createTextFinder } from "./found-text.ts"

/** Newest messages that are looked at when a common word is in more of them. */
const mostCandidates = 2_000
/** Newest messages that are read when no word is long enough for the index, which knows threes of characters. */
const mostRead = 5_000
const indexedLength = 3
const mostWords = 12
const hitsPerChat = 2
/** Hits read and ranked for each one that is asked for. */
const rankedPerHit = 4

interface Candidate {
  id: number
  conversationId: string
  messageId: string
}

/** Full-text search over the messages and titles of one owner's chats. */
export function createChatSearch(db: DbOf<"chat">) {
  /** Not of chats that were deleted and whose messages are still going. */
  const isThere = (ownerId: string) =>
    sql<boolean>`conversationId NOT IN (SELECT id FROM conversations WHERE ownerId = ${ownerId} AND removed = 1)`

  async function candidates(ownerId: string, words: readonly string[]): Promise<Candidate[]> {
    const indexed = words.filter((word) => Array.from(word).length >= indexedLength)
    if (indexed.length === 0) return newestHolding(ownerId, words)
    const expression = indexed.map((word) => `"${word.replaceAll('"', '""')}"`).join(" AND ")
    const { rows } = await sql<Candidate>`
      SELECT id, conversationId, messageId
      FROM messageTexts CROSS JOIN searchedMessages ON searchedMessages.id = messageTexts.rowid
      WHERE messageTexts MATCH ${expression} AND ownerId = ${ownerId} AND ${isThere(ownerId)}
      ORDER BY messageTexts.rowid DESC LIMIT ${mostCandidates}`.execute(db)
    return rows
  }

  async function newestHolding(ownerId: string, words: readonly string[]): Promise<Candidate[]> {
    const newest = db
      .selectFrom("searchedMessages")
      .selectAll()
      .where("ownerId", "=", ownerId)
      .where(isThere(ownerId))
      .orderBy("id", "desc")
      .limit(mostRead)
    return db
      .selectFrom(newest.as("newest"))
      .innerJoin("messages", "messages.id", "newest.messageId")
      .select(["newest.id", "newest.conversationId", "newest.messageId"])
      .where((e) =>
        e.and(
          words.map((word) =>
            e.or(casesOf(word).map((form) => e(sql<number>`instr(content, ${form})`, ">", 0))),
          ),
        ),
      )
      .orderBy("newest.id", "desc")
      .limit(mostCandidates)
      .execute()
  }

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
      .slice(0, mostWords)
    if (words.length === 0) return []
    const find = createTextFinder(words)
    const found = firstOfEach(await candidates(ownerId, words)).slice(0, limit * rankedPerHit)
    const titled = await titledLike(ownerId, words, limit)
    const chats = await chatsOf(ownerId, [...found.map((hit) => hit.conversationId), ...titled])
    const texts = await textsOf(
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

  async function chatsOf(ownerId: string, ids: readonly string[]) {
    const rows = await db
      .selectFrom("conversations")
      .select(["id as chatId", "title", "updatedAt"])
      .where("ownerId", "=", ownerId)
      .where("removed", "=", 0)
      .where("id", "in", [...new Set(ids)])
      .execute()
    return new Map(rows.map((row) => [row.chatId, row]))
  }

  async function textsOf(messageIds: readonly string[], readsQuotes: boolean): Promise<Map<string, string>> {
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

/** The newest hits of each chat. */
function firstOfEach(candidates: readonly Candidate[]): Candidate[] {
  const counts = new Map<string, number>()
  return candidates.filter(({ conversationId }) => {
    const count = (counts.get(conversationId) ?? 0) + 1
    counts.set(conversationId, count)
    return count <= hitsPerChat
  })
}

/** SQLite's own comparison knows the cases of ASCII only. */
function casesOf(word: string): string[] {
  const lower = word.toLowerCase()
  const [first = "", ...rest] = Array.from(lower)
  return [...new Set([word, lower, word.toUpperCase(), first.toUpperCase() + rest.join("")])]
}
