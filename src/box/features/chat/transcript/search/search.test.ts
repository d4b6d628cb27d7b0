import { openTestDatabase } from "../../../../core/database/testing/test-database.ts"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { ChatSearchHit } from "../../../../../shared/contract/conversations.ts"
import { openSqlite } from "../../../../core/database/sqlite/open-sqlite.ts"
import { migrations } from "../../../../core/database/migrations/registry.ts"
import { timestamp } from "../../../../core/ids.ts"
import { type ChatServer, foundPassages, startChatServer } from "../../../../testing/chat-server.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ChatSearch } from "./search.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer({
    engine: null,
    folders: ["folder"],
    search: () => Promise.resolve(foundPassages([])),
  })
})
afterEach(() => server[Symbol.asyncDispose]())

/** There is no model, so every answer is "I found nothing about this in the chosen folders." */
async function say(id: string, contents: string[], user = "alice"): Promise<void> {
  const messages = contents.map((content, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content,
  }))
  const body = { id, messages, boxAddress: "http://127.0.0.1:8484", vector: ["folder"] }
  for await (const event of server.getClient(user).chat.send({ body })) if (event.type === "finish") return
}

const find = async (query: string, limit?: number, user = "alice") =>
  (await server.getClient(user).conversations.search({ query: { query, ...(limit ? { limit } : {}) } }))
    .results
const chatsWith = async (query: string) => (await find(query)).map((hit) => hit.chatId)
const marked = ({ snippet }: ChatSearchHit) =>
  snippet.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("")

describe("searching chats", () => {
  // Catches a search that handles only ASCII words, or only the start of words.
  test("finds parts of words in any case and script", async () => {
    const texts = {
      de: "Die Straßenbahn nach ÖLAND fährt um neun.",
      ru: "Завтра будет СОБРАНИЕ жильцов.",
      th: "พิพิธภัณฑ์เปิดเก้าโมงเช้า",
      zh: "博物馆九点开门，票价是十元。",
      fr: "Un café crème, s'il vous plaît.",
    }
    for (const [id, text] of Object.entries(texts)) await say(id, [text])
    expect(await chatsWith("öland")).toEqual(["de"])
    expect(await chatsWith("OLAND")).toEqual(["de"])
    expect(await chatsWith("senbahn")).toEqual(["de"])
    expect(await chatsWith("собрание ЖИЛЬЦОВ")).toEqual(["ru"])
    expect(await chatsWith("เก้าโมง")).toEqual(["th"])
    expect(await chatsWith("九点开门")).toEqual(["zh"])
    expect(await chatsWith("票价")).toEqual(["zh"])
    expect(await chatsWith("CAFE creme")).toEqual(["fr"])
    expect(await chatsWith("nobody wrote this")).toEqual([])
  })

  // Catches characters with a meaning in the index's query language or in regular expressions that break a search.
  test("takes every character literally", async () => {
    await say("code", ['if (a["x"] == b*) { return $1 } -- 100% C:\\dir'])
    for (const query of ['a["x"]', "b*) {", "$1 }", "100%", "C:\\dir", "--", '"', "(a[", "=="]) {
      expect(await chatsWith(query), query).toEqual(["code"])
    }
    for (const query of [
      "x* OR y",
      "NEAR(a b)",
      "text:code",
      "%%",
      "__",
      "abc\0def",
      "\0\0\0",
      "\u0301\u0301\u0301",
    ]) {
      expect(await chatsWith(query), query).toEqual([])
    }
  })

  // Catches words too short for the index that match everything or nothing.
  test("finds words of one or two letters", async () => {
    await say("one", ["Das Öl ist da."])
    await say("two", ["Nothing of it here."])
    expect(await chatsWith("öl")).toEqual(["one"])
    expect(await chatsWith("öl ist")).toEqual(["one"])
    expect(await chatsWith("xq")).toEqual([])
  })

  // Catches a wrong order, one chat that fills all results, and a limit that isn't applied.
  test("returns the best and newest first, with at most two hits per chat", async () => {
    await say("parts", ["The museum's opening was late, its hours few."])
    await say("phrase", ["Tell me the opening hours."])
    await say("newer", ["opening hours"])
    await say("often", ["openings and hourses 1", "x", "openings and hourses 2", "x", "openings hourses 3"])
    expect(await chatsWith("opening hours")).toEqual(["newer", "phrase", "parts", "often", "often"])
    expect(await find("opening hours", 2)).toHaveLength(2)
  })

  // Catches a limit that keeps the oldest of too many hits.
  test("finds new messages among thousands of old hits", async () => {
    await say(
      "old",
      Array.from({ length: 2_101 }, (_, index) => `Walrus ${index}.`),
    )
    await say("new", ["One more walrus."])
    expect(await chatsWith("walrus")).toEqual(["new", "old", "old"])
    expect((await find("walrus"))[1]?.snippet.map(({ text }) => text).join("")).toBe("Walrus 2100.")
  })

  // Catches snippets that miss the hit, mark the wrong letters or split a character.
  test("shows the hit with its surrounding text", async () => {
    await say("c1", [`${"🙂".repeat(300)} before the Café\n\n opens ${"word ".repeat(100)}`])
    const [hit] = await find("cafe opens")
    expect(hit && marked(hit)).toMatch(/^…🙂+ before the \[Café\] \[opens\] (word )+…$/u)
    expect(hit && marked(hit).length).toBeLessThan(260)
    expect(hit?.title).toBe("🙂".repeat(80))
  })

  // Catches renamed chats that can't be found, and titles that hide the message itself.
  test("finds a chat by its title alone", async () => {
    await say("c1", ["Something else."])
    await server
      .getClient("alice")
      .conversations.update({ params: { id: "c1" }, body: { title: "Übersicht 2026" } })
    expect(await find("übersicht")).toMatchObject([
      { chatId: "c1", messageId: null, snippet: [{ text: "Übersicht", hit: true }, { text: " 2026" }] },
    ])
  })

  // Catches an index that keeps other people's messages, old texts or deleted chats.
  test("finds only existing messages, and only for their owner", async () => {
    await say("c1", ["A walrus."])
    await say("c1", ["A walrus."], "bob")
    const [hit] = await find("walrus")
    const { messages } = (await server.getClient("alice").conversations.read({ params: { id: "c1" } })).chat
    expect(hit?.messageId).toBe(messages[0]?.id)
    expect(await find("nothing about this")).toMatchObject([{ messageId: messages[1]?.id }])
    await server.getClient("alice").conversations.remove({ params: { id: "c1" } })
    expect(await find("walrus")).toEqual([])
    expect(await find("walrus", 5, "bob")).toHaveLength(1)
    await server.endDeletions()
    const { db } = server.database
    expect(await db.selectFrom("searchedMessages").select("ownerId").execute()).toHaveLength(2)
  })
})

// Catches chats of an earlier version that can't be found after the update.
test("finds messages from before search was added", { tags: "rows-in-file" }, async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-search-"))
  try {
    const before = migrations.findIndex(({ name }) => name === "chats")
    const path = join(directory, "casella.sqlite")
    {
      await using old = openSqlite(path, migrations.slice(0, before))
      const now = timestamp()
      const common = { ownerId: "u", conversationId: "c", parentId: null, parts: "[]", createdAt: now }
      await old.db
        .insertInto("users")
        .values({ id: "u", email: "u@x.y", name: "U", createdAt: now })
        .execute()
      await old.db
        .insertInto("conversations")
        .values({
          ownerId: "u",
          id: "c",
          title: "T",
          foldedTitle: "T",
          origin: "APP",
          vectorIds: "[]",
          messageCount: 2,
          streamStatus: "completed",
          createdAt: now,
          updatedAt: now,
        })
        .execute()
      await old.db
        .insertInto("messages")
        .values([
          { ...common, id: "m1", depth: 0, role: "user", content: "An old walrus." },
          { ...common, id: "m2", depth: 1, role: "system", content: "A hidden walrus." },
        ])
        .execute()
    }
    await using updated = await openTestDatabase(path)
    expect(await new ChatSearch(updated.db).search("u", "walrus", 5)).toMatchObject([{ messageId: "m1" }])
    await updated.db.deleteFrom("users").execute()
    expect(await new ChatSearch(updated.db).search("u", "walrus", 5)).toEqual([])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
