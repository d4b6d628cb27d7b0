import { sql } from "kysely"
import type { Role } from "../../../../../shared/contract/chat.ts"
import type { ChatSearchHit } from "../../../../../shared/contract/conversations.ts"
import { plainText, wordPattern } from "../../../../../shared/words/words.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import { isPostgres, containsAnywhere, containsFolded } from "../../../../core/database/sql-helpers.ts"
import { quotingNotices } from "../../../../tools/withheld.ts"
import { namingFiles } from "../conversation-store.ts"

/** Maximum number of newest messages that are examined if a common word occurs in more. */
const maxCandidates = 2_000
/** Maximum number of newest messages that are read if every word is too short for the trigram index. */
const maxRead = 5_000
const indexedLength = 3

/** A message that may contain the search words. */
interface Candidate {
  id: number
  conversationId: string
  messageId: string
}

/** Finds the newest messages in one owner's chats that may contain all words. */
function createCandidates(db: DbOf<"chat">) {
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

interface FoundText {
  /** Whether the text contains every word. */
  complete: boolean
  /** 0–3: 2 points if the words are adjacent and in the searched order, 1 point if all are whole words. */
  quality: number
  snippet: ChatSearchHit["snippet"]
}

/** Maximum number of characters shown before the first hit, and in total. */
const before = 60
const shown = 220
const nearSpace = 20

/** Creates a function that searches texts for the words. Created once per search. */
function createTextFinder(words: readonly string[]): (text: string) => FoundText {
  const patterns = words.map((word) => new RegExp(wordPattern(word), "iu"))
  const alone = words.map(
    (word) => new RegExp(`(?<![\\p{L}\\p{N}])${wordPattern(word)}(?![\\p{L}\\p{N}])`, "iu"),
  )
  const together = new RegExp(words.map(wordPattern).join("[\\s\\p{P}]+"), "iu")
  const any = new RegExp(
    [...words]
      .sort((a, b) => b.length - a.length)
      .map(wordPattern)
      .join("|"),
    "giu",
  )

  /** Shows the passage as plain text. If a word occurs only in a link's address, shows the raw text. */
  function makeSnippet(raw: string, text: string): FoundText["snippet"] {
    const plain = toOneLine(plainText(raw))
    const shown = patterns.every((pattern) => pattern.test(plain)) ? plain : text
    return cut(shown, together.exec(shown)?.index ?? Math.max(0, shown.search(any)), any)
  }

  return (raw) => {
    const text = toOneLine(raw)
    return {
      complete: patterns.every((pattern) => pattern.test(text)),
      quality: (together.test(text) ? 2 : 0) + (alone.every((pattern) => pattern.test(text)) ? 1 : 0),
      snippet: makeSnippet(raw, text),
    }
  }
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

function cut(text: string, at: number, hits: RegExp): ChatSearchHit["snippet"] {
  const start = at <= before ? 0 : wordStart(text, at - before)
  const end = start + shown >= text.length ? text.length : wordStart(text, start + shown - nearSpace)
  const window = text.slice(start, end)
  const pieces: ChatSearchHit["snippet"] = start > 0 ? [{ text: "…", hit: false }] : []
  const add = (piece: string, hit: boolean) => {
    const last = pieces.at(-1)
    if (last?.hit === hit) last.text += piece
    else if (piece !== "") pieces.push({ text: piece, hit })
  }
  let done = 0
  for (const { 0: found, index } of window.matchAll(hits)) {
    add(window.slice(done, index), false)
    add(found, true)
    done = index + found.length
  }
  add(window.slice(done) + (end < text.length ? "…" : ""), false)
  return pieces
}

/** Returns the next start of a word or, if no space is near, the next character boundary. */
function wordStart(text: string, from: number): number {
  const space = text.indexOf(" ", from)
  if (space >= 0 && space < from + nearSpace) return space + 1
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from
}

interface FoundMessage {
  role: Role
  conversationId: string
  text: string
}

const maxWords = 12
const hitsPerChat = 2
/** Number of hits read and ranked for each requested hit. */
const rankedPerHit = 4

/** Full-text search over the messages and titles of one owner's chats. */
export class ChatSearch {
  readonly #db: DbOf<"chat">
  readonly #findCandidates: ReturnType<typeof createCandidates>

  constructor(db: DbOf<"chat">) {
    this.#db = db
    this.#findCandidates = createCandidates(db)
  }

  async search(ownerId: string, query: string, limit: number, readsFolders = true): Promise<ChatSearchHit[]> {
    const words = splitWords(query)
    if (words.length === 0) return []
    const find = createTextFinder(words)
    const candidates = await this.#findCandidates(ownerId, words)
    const found = firstOfEach(candidates).slice(0, limit * rankedPerHit)
    const titled = await this.#titledLike(ownerId, words, limit, readsFolders)
    const chats = await this.#getChats(ownerId, [...found.map((hit) => hit.conversationId), ...titled])
    const messageIds = found.map((hit) => hit.messageId)
    const texts = await this.#getTexts(messageIds, readsFolders)
    if (!readsFolders) await this.#hideNames(ownerId, chats, texts)

    const hits = found.flatMap(({ id, conversationId, messageId }) => {
      const chat = chats.get(conversationId)
      const text = texts.get(messageId)?.text
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

  async #titledLike(
    ownerId: string,
    words: readonly string[],
    limit: number,
    readsFolders: boolean,
  ): Promise<string[]> {
    let titled = this.#db
      .selectFrom("conversations")
      .select("id")
      .where("ownerId", "=", ownerId)
      .where("removed", "=", 0)
      .where((e) => e.and(words.map((word) => containsFolded("foldedTitle", word))))
    if (!readsFolders) titled = titled.where("id", "not in", namingFiles(this.#db, ownerId))
    const rows = await titled.orderBy("updatedAt", "desc").orderBy("id").limit(limit).execute()
    return rows.map((row) => row.id)
  }

  async #getChats(ownerId: string, ids: readonly string[]) {
    const rows = await this.#db
      .selectFrom("conversations")
      .select(["id as chatId", "title", "updatedAt"])
      .where("ownerId", "=", ownerId)
      .where("removed", "=", 0)
      .where("id", "in", [...new Set(ids)])
      .execute()
    return new Map(rows.map((row) => [row.chatId, row]))
  }

  /** Removes the names of files from titles and questions. */
  async #hideNames(
    ownerId: string,
    chats: Map<string, { chatId: string; title: string }>,
    texts: Map<string, FoundMessage>,
  ): Promise<void> {
    const { findFileNames, hideFileNames, hideInTitle } = await import("../named-files.ts")
    const getNames = await findFileNames(this.#db, ownerId, [...chats.keys()])
    for (const chat of chats.values()) chat.title = hideInTitle(chat.title, getNames(chat.chatId))
    for (const message of texts.values())
      if (message.role === "user")
        message.text = hideFileNames(message.text, getNames(message.conversationId))
  }

  async #getTexts(messageIds: readonly string[], readsFolders: boolean): Promise<Map<string, FoundMessage>> {
    const hidden = readsFolders ? [] : quotingNotices
    const rows = await this.#db
      .selectFrom("messages")
      .select(["id", "role", "conversationId", sql<string>`substr(content, 1, 20000)`.as("text")])
      .where("id", "in", [...messageIds])
      .where((e) => e.and(hidden.map((code) => e(sql<number>`instr(parts, ${`"code":"${code}"`})`, "=", 0))))
      .execute()
    return new Map(rows.map((row) => [row.id, row]))
  }
}

const splitWords = (query: string): string[] =>
  query
    .normalize("NFC")
    .split(/[\s\p{Cc}]+/u)
    .filter((word) => word !== "")
    .slice(0, maxWords)

/** Returns the newest hits of each chat. */
function firstOfEach(candidates: readonly Candidate[]): Candidate[] {
  const counts = new Map<string, number>()
  return candidates.filter(({ conversationId }) => {
    const count = (counts.get(conversationId) ?? 0) + 1
    counts.set(conversationId, count)
    return count <= hitsPerChat
  })
}
