import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openPeopledDatabase } from "../../../testing/served-features.ts"
import type { OpenDatabase } from "../../../core/database/database.ts"
import { timestamp } from "../../../core/ids.ts"
import { createMessageStore } from "./message-store.ts"

const count = 100
/** Length of `content`; `parts` add two. */
const length = 9_998

let directory: string
let database: OpenDatabase
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-messages-"))
  database = await openPeopledDatabase(directory, ["alice"])
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

async function addChat(): Promise<void> {
  const createdAt = timestamp()
  await database.db
    .insertInto("conversations")
    .values({
      ownerId: "alice",
      id: "long",
      title: "Long",
      foldedTitle: "long",
      origin: "APP",
      vectorIds: "[]",
      messageCount: count,
      streamStatus: "completed",
      createdAt,
      updatedAt: createdAt,
    })
    .execute()
  const messages = Array.from({ length: count }, (_, depth) => ({
    ownerId: "alice",
    conversationId: "long",
    id: `m${depth}`,
    parentId: depth === 0 ? null : `m${depth - 1}`,
    depth,
    role: "user" as const,
    content: "x".repeat(length),
    parts: "[]",
    readLabels: null,
    createdAt,
  }))
  await database.db.insertInto("messages").values(messages).execute()
}

// Catches one statement per message of a chat, and a single statement for a chat of any length.
test("reads a chat in batches of 64 kB", async () => {
  await addChat()
  const store = createMessageStore(database.db)
  const batches = await store.batches("alice", "long", `m${count - 1}`)
  expect(batches).toHaveLength(Math.ceil((count * (length + 2)) / 65_536))
  expect(batches.reduce((sum, batch) => sum + batch.length, 0)).toBe(count)
  const [first, second] = batches
  if (!first || !second) throw new Error("There should be two.")
  const ids = (await store.batch("alice", "long", second)).map(({ id }) => id)
  expect(ids).toEqual(Array.from({ length: second.length }, (_, place) => `m${first.length + place}`))
})
