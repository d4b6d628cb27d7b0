// Full-text search over 100,000 stored messages: node bench/chat-search.ts [messages]
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Database } from "../src/box/core/database/database.ts"
import { openSqlite } from "../src/box/core/database/sqlite/open-sqlite.ts"
import { newId, timestamp } from "../src/box/core/ids.ts"
import { ChatSearch } from "../src/box/features/chat/transcript/search/search.ts"
import { elapsed, percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { corpusPath, readCollection } from "./retrieval-corpus.ts"

const messagesPerChat = 20
const rowsPerInsert = 500
const questions = 200
const rounds = 5
const targetMs = 20

export async function run(count = 100_000): Promise<BenchResult[]> {
  const names = ["xquad-en", "xquad-de", "xquad-ru", "xquad-th", "chunking-eval"]
  const texts = names.flatMap((name) => {
    const path = corpusPath("retrieval", name)
    return path === undefined ? [] : readCollection(name, path).passages.map(({ text }) => text)
  })
  if (texts.length === 0) {
    process.stderr.write("The retrieval collections are not beside the project: skipped.\n")
    return []
  }
  const directory = await mkdtemp(join(tmpdir(), "bench-chat-search-"))
  try {
    await using database = openSqlite(join(directory, "casella.sqlite"))
    const writeMs = await elapsed(() => fill(database.db, texts, count))
    const chats = new ChatSearch(database.db)
    const p95 = async (queries: string[]) => {
      const times: number[] = []
      for (let round = 0; round < rounds; round++)
        for (const query of queries) times.push(await elapsed(() => chats.search("owner", query, 20)))
      return percentile(times, 0.95)
    }
    const size = `${count} messages`
    const usual = await p95(Array.from({ length: questions }, (_, index) => phrase(texts, index)))
    const common = await p95(["the", "that the", "information", "правительство", "และ", "2"])
    const judged = (name: string, value: number): BenchResult => {
      return { name: `${name}, ${size}`, value, unit: "ms", target: `≤${targetMs}`, ok: value <= targetMs }
    }
    return [
      judged("chat search p95, words of a message", usual),
      judged("chat search p95, words of most messages", common),
      { name: `storing messages, ${size}`, value: count / (writeMs / 1000), unit: "messages/s" },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function fill(db: Database, texts: readonly string[], count: number): Promise<void> {
  const createdAt = timestamp()
  const common = { ownerId: "owner", parentId: null, parts: "[]", role: "user" as const, createdAt }
  await db
    .insertInto("users")
    .values({ id: "owner", email: "owner@example.com", name: "Owner", createdAt })
    .execute()
  for (let done = 0; done < count; done += rowsPerInsert) {
    const chats = Array.from({ length: rowsPerInsert / messagesPerChat }, (_, index) => {
      const id = String(done / messagesPerChat + index)
      const title = part(texts, done + index).slice(0, 80)
      return { id, ownerId: "owner", title, foldedTitle: title.toUpperCase(), origin: "APP" as const }
    })
    const state = { vectorIds: "[]", messageCount: messagesPerChat, streamStatus: "completed" as const }
    await db
      .insertInto("conversations")
      .values(chats.map((chat) => ({ ...chat, ...state, createdAt, updatedAt: createdAt })))
      .execute()
    const rows = Array.from({ length: rowsPerInsert }, (_, index) => ({
      ...common,
      id: newId(),
      conversationId: String(Math.floor((done + index) / messagesPerChat)),
      depth: index % messagesPerChat,
      content: part(texts, done + index),
    }))
    await db.insertInto("messages").values(rows).execute()
  }
}

/** About 100 to 900 characters from anywhere in the collections. */
function part(texts: readonly string[], index: number): string {
  const text = texts[(index * 7_919) % texts.length] ?? ""
  const start = (index * 104_729) % Math.max(1, text.length - 300)
  return text.slice(start, start + 100 + ((index * 31) % 800))
}

/** Three adjacent words. */
function phrase(texts: readonly string[], index: number): string {
  return (
    part(texts, index * 37)
      .split(/\s+/)
      .slice(1, 4)
      .join(" ")
      .slice(0, 100) || "museum"
  )
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 100_000)))
