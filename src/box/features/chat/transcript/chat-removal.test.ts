import { sql } from "kysely"
import { afterEach, beforeEach, expect, test } from "vitest"
import { timestamp } from "../../../core/ids.ts"
import { type ChatServer, foundPassages, startChatServer } from "../../../testing/chat-server.ts"
import { watchWrites } from "../../../testing/test-database.ts"
import { createChatRemoval } from "./chat-removal.ts"
import { createChatTitles } from "./conversation-store.ts"

const boxAddress = "http://127.0.0.1:8484"
let server: ChatServer
beforeEach(async () => {
  server = await startChatServer({
    engine: null,
    folders: ["folder"],
    search: () => Promise.resolve(foundPassages([])),
  })
})
afterEach(() => server[Symbol.asyncDispose]())

const client = () => server.getClient("alice")

/** There is no model, so every answer is "I found nothing about this in the chosen folders." */
async function say(id: string, content: string): Promise<void> {
  const body = { id, messages: [{ role: "user" as const, content }], boxAddress, vector: ["folder"] }
  for await (const event of client().chat.send({ body })) if (event.type === "finish") return
}

async function addMessages(conversationId: string, count: number, content: string): Promise<void> {
  const rest = { ownerId: "alice", conversationId, role: "user", content, parts: "[]" } as const
  const messages = Array.from({ length: count }, (_, number) => ({
    ...rest,
    id: `m${number}`,
    depth: number,
    readLabels: null,
    createdAt: timestamp(),
  }))
  for (let from = 0; from < count; from += 1_000)
    await server.database.db
      .insertInto("messages")
      .values(messages.slice(from, from + 1_000))
      .execute()
}

const refuse = (change: string) =>
  sql
    .raw(`CREATE TRIGGER refusal BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'no room'); END`)
    .execute(server.database.db)
const permit = () => sql`DROP TRIGGER refusal`.execute(server.database.db)
const left = async (table: "conversations" | "messages" | "searchedMessages") =>
  (await server.database.db.selectFrom(table).select("id").execute()).length

/** Every way in which chats are shown to their owner. */
async function shown(id: string, word: string) {
  const params = { id }
  const refused = (error: unknown) => (error as { code: string }).code
  const { conversations, chat } = client()
  return {
    listed: (await conversations.list({ query: {} })).pagination.total,
    titled: (await conversations.list({ query: { search: word } })).chats.length,
    named: (await createChatTitles(server.database.db)("alice", [id])).size,
    found: (await conversations.search({ query: { query: word } })).results.length,
    foundShort: (await conversations.search({ query: { query: word.slice(0, 2) } })).results.length,
    status: (await chat.status({ params: { chatId: id } })).status,
    read: await conversations.read({ params }).then(() => "read", refused),
    renamed: await conversations.update({ params, body: { title: word } }).then(() => "renamed", refused),
    deleted: await conversations.remove({ params }).then(() => "deleted", refused),
  }
}
const nowhere = {
  listed: 0,
  titled: 0,
  named: 0,
  found: 0,
  foundShort: 0,
  status: "not_found",
  read: "not_found",
  renamed: "not_found",
  deleted: "not_found",
}

// Catches a chat that is still shown somewhere while it is being deleted, or whose messages a new chat with the same ID inherits.
test("hides a deleted chat everywhere with the first write, and frees its ID", async () => {
  await say("c1", "Walrus.")
  const messageId = (await client().conversations.read({ params: { id: "c1" } })).chat.messages[1]?.id ?? ""
  const retrieval = () => client().conversations.retrieval({ params: { id: "c1", messageId } })
  await retrieval()
  await refuse("DELETE ON messages")
  await client().conversations.remove({ params: { id: "c1" } })
  await server.endDeletions()
  expect(await left("messages")).toBe(2)
  expect(await shown("c1", "walrus")).toEqual(nowhere)
  await expect(retrieval()).rejects.toMatchObject({ code: "not_found" })

  await expect(say("c1", "Otter.")).rejects.toMatchObject({ code: "internal" })
  await permit()
  await say("c1", "Otter.")
  const { messages } = (await client().conversations.read({ params: { id: "c1" } })).chat
  expect(messages.map(({ content }) => content)).toEqual(["Otter.", expect.stringContaining("nothing")])
  expect(await left("messages")).toBe(2)
})

// Catches a search that examines only the newest messages, all of which are being deleted.
test("finds messages of other chats while many messages are being deleted", async () => {
  await say("c1", "Not in the title:\nthe zebra swims.")
  await say("c2", "Walrus.")
  await addMessages("c2", 5_100, "zebra")
  await refuse("DELETE ON messages")
  await client().conversations.remove({ params: { id: "c2" } })
  expect(await shown("c1", "zebra")).toMatchObject({ found: 1, foundShort: 1 })
})

const ids = async () => (await client().conversations.list({ query: {} })).chats.map(({ id }) => id).sort()
const removeSeveral = (...some: string[]) => client().conversations.removeSeveral({ body: { ids: some } })
const undo = (token: string) => client().deletions.undo({ body: { token } })

// Catches a bulk deletion that is incomplete, deletes other chats, or can't be undone with one token.
test("deletes several chats in one write and restores them with one token", async () => {
  for (const id of ["c1", "c2", "c3"]) await say(id, "Walrus.")
  await refuse("UPDATE OF removed ON conversations WHEN NEW.id = 'c2'")
  await expect(removeSeveral("c1", "c2")).rejects.toMatchObject({ code: "internal" })
  expect(await ids()).toEqual(["c1", "c2", "c3"])
  await permit()

  const removed = await removeSeveral("c1", "c2", "c1", "never")
  expect(removed.ids).toEqual(["c1", "c2"])
  expect(await ids()).toEqual(["c3"])
  expect(await undo(removed.undo.token)).toEqual({ success: true, kind: "chat", id: "c1" })
  expect(await ids()).toEqual(["c1", "c2", "c3"])
  await expect(undo(removed.undo.token)).rejects.toMatchObject({ code: "not_found" })
  await expect(removeSeveral("never")).rejects.toMatchObject({ code: "not_found" })
  expect((await client().conversations.read({ params: { id: "c2" } })).chat.messages).toHaveLength(2)
})

// Catches a chat that can't be restored, now or ever, and blocks all others, and one that can't be restored later.
test("restores those of several chats that can be restored", async () => {
  for (const id of ["c1", "c2", "c3"]) await say(id, "Walrus.")
  const { undo: deletion } = await removeSeveral("c1", "c2", "c3")
  await say("c1", "Otter.")
  await refuse("UPDATE OF removed ON conversations WHEN NEW.id = 'c2'")
  expect(await undo(deletion.token)).toMatchObject({ id: "c3" })
  expect(await ids()).toEqual(["c1", "c3"])
  await permit()
  expect(await undo(deletion.token)).toMatchObject({ id: "c2" })
  expect((await client().conversations.read({ params: { id: "c1" } })).chat.title).toBe("Otter.")
})

// Catches messages of a deleted chat that stay forever.
test("deletes leftover messages on the next attempt, and nothing else", async () => {
  await say("c1", "Walrus.")
  await say("c2", "Otter.")
  await refuse("DELETE ON messages")
  await client().conversations.remove({ params: { id: "c1" } })
  await server.endDeletions()
  expect(await left("messages")).toBe(4)
  await permit()
  await server.endDeletions()
  expect([await left("conversations"), await left("messages"), await left("searchedMessages")]).toEqual([
    1, 2, 2,
  ])
  expect(await shown("c2", "otter")).toMatchObject({
    listed: 1,
    named: 1,
    found: 1,
    read: "read",
    deleted: "deleted",
  })
})

// Catches a chat that is gone or can't be used after its deletion was refused.
test("leaves the chat unchanged if SQLite refuses a deletion", async () => {
  await say("c1", "Walrus.")
  await refuse("UPDATE OF removed ON conversations")
  await expect(client().conversations.remove({ params: { id: "c1" } })).rejects.toMatchObject({
    code: "internal",
  })
  await say("c1", "Walrus and otter.")
  expect(await shown("c1", "walrus")).toMatchObject({ listed: 1, read: "read" })
})

// Catches one statement for all messages of a long chat, or for many long messages, that makes every request wait.
test.each([
  { count: 1_200, bytes: 10, max: 100 },
  { count: 12, bytes: 400_000, max: 4 },
])(
  "deletes $count messages of $bytes bytes in statements of at most $most",
  async ({ count, bytes, max }) => {
    await say("c1", "Walrus.")
    await addMessages("c1", count, "ü".repeat(bytes / 2))
    const watched = watchWrites(server.database.db)
    const removal = createChatRemoval(watched.db)
    await removal.hide("alice", ["c1"], () => Promise.resolve())
    await removal.clear("alice", "c1")
    expect(watched.largest()).toBeLessThanOrEqual(max)
    expect([await left("conversations"), await left("messages")]).toEqual([0, 0])
  },
)

// Catches words of deleted messages that stay in the index, and an index whose segments SQLite never merges again.
test("cleans up the text index step by step and restores its settings", async () => {
  await say("c1", "Walrus.")
  await addMessages("c1", 600, "The zebra swims with its walrus.")
  await client().conversations.remove({ params: { id: "c1" } })
  await server.endDeletions()
  const getRows = async (table: string) =>
    (await sql.raw(`SELECT * FROM ${table}`).execute(server.database.db)).rows
  expect((await getRows("messageTexts_data")).length).toBeLessThan(5)
  expect(await getRows("messageTexts_config")).toContainEqual({ k: "automerge", v: 4 })
})

// Catches a box that deletes thousands of messages before it stops, or forgets the remaining ones.
test("stops a deletion between two statements at shutdown and resumes it later", async () => {
  await say("c1", "Walrus.")
  await addMessages("c1", 5_000, "zebra")
  const removal = createChatRemoval(server.database.db)
  await removal.hide("alice", ["c1"], () => Promise.resolve())
  const clearing = expect(removal.clear("alice", "c1")).rejects.toMatchObject({ code: "unavailable" })
  await removal[Symbol.asyncDispose]()
  await clearing
  expect(await left("messages")).toBeGreaterThan(4_000)
  await createChatRemoval(server.database.db).clear("alice", "c1")
  expect([await left("conversations"), await left("messages")]).toEqual([0, 0])
})
