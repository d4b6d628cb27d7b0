import { sql } from "kysely"
import type { DbOf } from "../../../../core/database/database.ts"
import { isPostgres } from "../../../../core/database/dialect.ts"
import { containsAnywhere } from "../../../../core/database/fold-case.ts"

/** Maximum number of newest messages that are examined if a common word occurs in more. */
const maxCandidates = 2_000
/** Maximum number of newest messages that are read if every word is too short for the trigram index. */
const maxRead = 5_000
const indexedLength = 3

/** A message that may contain the search words. */
export interface Candidate {
  id: number
  conversationId: string
  messageId: string
}

/** Finds the newest messages in one owner's chats that may contain all words. */
export function createCandidates(db: DbOf<"chat">) {
  /** Excludes deleted chats whose messages are still being deleted. */
  const isThere = (ownerId: string) =>
    sql<boolean>`"conversationId" NOT IN (SELECT id FROM conversations WHERE "ownerId" = ${ownerId} AND removed = 1)`

  async function find(ownerId: string, words: readonly string[]): Promise<Candidate[]> {
    const indexed = words.filter((word) => Array.from(word).length >= indexedLength)
    if (indexed.length === 0) return newestHolding(ownerId, words)
    return isPostgres(db) ? indexedHere(ownerId, indexed) : indexedApart(ownerId, indexed)
  }

  /** SQLite: a full-text search table of trigrams. */
  async function indexedApart(ownerId: string, words: readonly string[]): Promise<Candidate[]> {
    const expression = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" AND ")
    const { rows } = await sql<Candidate>`
      SELECT id, conversationId, messageId
      FROM messageTexts CROSS JOIN searchedMessages ON searchedMessages.id = messageTexts.rowid
      WHERE messageTexts MATCH ${expression} AND ownerId = ${ownerId} AND ${isThere(ownerId)}
      ORDER BY messageTexts.rowid DESC LIMIT ${maxCandidates}`.execute(db)
    return rows
  }

  /** PostgreSQL: a trigram index over the folded texts. */
  const indexedHere = (ownerId: string, words: readonly string[]): Promise<Candidate[]> =>
    db
      .selectFrom("searchedMessages")
      .select(["id", "conversationId", "messageId"])
      .where("ownerId", "=", ownerId)
      .where(isThere(ownerId))
      .where((e) =>
        e.and(
          words.map(
            (word) => sql<boolean>`folded(${word}) <> '' AND text LIKE folded(${containsAnywhere(word)})`,
          ),
        ),
      )
      .orderBy("id", "desc")
      .limit(maxCandidates)
      .execute()

  async function newestHolding(ownerId: string, words: readonly string[]): Promise<Candidate[]> {
    const newest = db
      .selectFrom("searchedMessages")
      .selectAll()
      .where("ownerId", "=", ownerId)
      .where(isThere(ownerId))
      .orderBy("id", "desc")
      .limit(maxRead)
    return db
      .selectFrom(newest.as("newest"))
      .innerJoin("messages", "messages.id", "newest.messageId")
      .select(["newest.id", "newest.conversationId", "newest.messageId"])
      .where((e) =>
        e.and(
          words.map((word) =>
            e.or(getCases(word).map((form) => e(sql<number>`instr(content, ${form})`, ">", 0))),
          ),
        ),
      )
      .orderBy("newest.id", "desc")
      .limit(maxCandidates)
      .execute()
  }

  return find
}

/** SQLite's own comparison ignores case only for ASCII. */
function getCases(word: string): string[] {
  const lower = word.toLowerCase()
  const [first = "", ...rest] = Array.from(lower)
  return [...new Set([word, lower, word.toUpperCase(), first.toUpperCase() + rest.join("")])]
}
