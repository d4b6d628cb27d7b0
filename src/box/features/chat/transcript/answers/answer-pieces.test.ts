import { openSqlite } from "../../../../core/database/sqlite/open-sqlite.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"
import type { ChatEvent } from "../../../../../shared/contract/chat.ts"
import { sentence } from "../../../../../shared/sentences/sentences.ts"
import { DatabaseAway, type Database } from "../../../../core/database/database.ts"
import {
  startChatServer,
  startTestEngine,
  type ChatServer,
  type TestEngine,
} from "../../../../testing/chat-server.ts"
import { mergePieces, createPieceWriter } from "./answer-pieces.ts"
import { createAnswerRecord } from "../message-parts.ts"
import { createAnswerSaver } from "./answer-saving.ts"
import { createTranscriptStore } from "../transcript-store.ts"

const boxAddress = "http://127.0.0.1:8484"
let directory: string
let model: TestEngine
let server: ChatServer
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-pieces-"))
  model = startTestEngine()
  await model.engine.countTokens("")
})
afterAll(async () => {
  await model.engine[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})
beforeEach(async () => {
  server = await startChatServer({ engine: model.engine })
})
afterEach(() => server[Symbol.asyncDispose]())

const client = () => server.getClient("alice")
const read = async () => (await client().conversations.read({ params: { id: "c1" } })).chat
const getRow = (db: Database) =>
  db.selectFrom("messages").selectAll().where("role", "=", "assistant").execute()
const getPieces = (db: Database) => db.selectFrom("answerPieces").selectAll().orderBy("id").execute()

/** Starts an answer that continues until it is stopped. Settles when that many pieces of it are stored. */
async function begin(pieces: number): Promise<void> {
  const messages = [{ role: "user" as const, content: "Go on!" }]
  const events = client().chat.send({ body: { id: "c1", messages, boxAddress } })
  await events[Symbol.asyncIterator]().next()
  await expect.poll(async () => (await getPieces(server.database.db)).length).toBeGreaterThanOrEqual(pieces)
}

// Catches an answer that is rewritten in full at each save, one that can't be read until it ends, and pieces that are left over.
test("stores an answer in pieces while it is written, reads it as one, and turns it into its message", async () => {
  await begin(3)
  const { db } = server.database
  const soFar = (await read()).messages[1]
  const stored = await getPieces(db)
  const text = stored.map(({ parts }) => (JSON.parse(parts) as [{ text: string }])[0].text).join("")
  expect((await getRow(db))[0]).toMatchObject({ content: "", parts: "[]" })
  expect(text.startsWith(soFar?.content ?? "?") && soFar?.content !== "").toBe(true)
  expect(soFar).toMatchObject({ finishReason: null, parts: [{ type: "text", text: soFar?.content }] })
  await client().chat.stop({ params: { chatId: "c1" } })
  expect(await getPieces(db)).toEqual([])
  expect((await read()).messages[1]?.content.startsWith(text)).toBe(true)
  const found = await client().conversations.search({ query: { query: "on and on" } })
  expect(found.results.map(({ chatId }) => chatId)).toEqual(["c1"])
})

// Catches text that a crash loses or leaves in unused pieces, even if the chat continued without it.
test.each([["the newest of its chat"], ["one that the chat went on from"]])(
  "turns the pieces of an answer into its message after a crash: %s",
  async (which) => {
    await begin(2)
    const path = join(directory, `${which}.sqlite`)
    await server.database.copyTo(path) // the state after a crash
    await using database = openSqlite(path)
    const { db } = database
    if (which !== "the newest of its chat")
      await db.updateTable("conversations").set({ headId: null, streamStatus: "completed" }).execute()
    const pieces = (await getPieces(db)).map(({ parts }) => (JSON.parse(parts) as [{ text: string }])[0].text)
    await createTranscriptStore(db).closeInterrupted()
    const [row] = await getRow(db)
    expect(row).toMatchObject({ content: pieces.join(""), finishReason: "error", readLabels: null })
    expect(JSON.parse(row?.parts ?? "")).toMatchObject([
      { type: "text", text: pieces.join("") },
      { type: "error" },
    ])
    expect(await getPieces(db)).toEqual([])
    const searched = await db.selectFrom("searchedMessages").select("messageId").execute()
    expect(searched.map(({ messageId }) => messageId)).toContain(row?.id)
  },
)

// Catches text of a deleted chat that stays in the database.
test("deletes pieces with their chat", async () => {
  await begin(1)
  await server.database.db.deleteFrom("conversations").execute()
  expect(await getPieces(server.database.db)).toEqual([])
})

// Catches text that is cut where a piece ends, split characters, and parts that a piece drops or duplicates.
test("restores every kind of part from pieces of any size", async () => {
  const { db } = server.database
  await begin(0)
  await client().chat.stop({ params: { chatId: "c1" } })
  const id = (await getRow(db))[0]?.id ?? ""
  const events: ChatEvent[] = [
    { type: "notice", code: "no_model", message: "None." },
    { type: "reasoning-delta", textDelta: "Let me " },
    { type: "reasoning-delta", textDelta: "think. " },
    { type: "text-delta", textDelta: "\ud83e" },
    { type: "text-delta", textDelta: "\udd8a said " },
    { type: "tool-call", toolCallId: "1", toolName: "calculate", args: { expression: "2+2" } },
    { type: "tool-result", toolCallId: "1", result: { result: "4" } },
    { type: "text-delta", textDelta: "four" },
    { type: "text-delta", textDelta: "." },
  ]
  for (let size = 1; size <= events.length; size++) {
    const before = [{ type: "text" as const, text: "Before it waited. " }]
    const addPiece = createPieceWriter(db)
    const record = createAnswerRecord(before)
    const row = {
      id,
      role: "assistant" as const,
      content: "Before it waited. ",
      parts: JSON.stringify(before),
    }
    for (const [index, event] of events.entries()) {
      record.add(event)
      if ((index + 1) % size === 0) await addPiece(id, record.takeNew())
    }
    await addPiece(id, record.takeNew())
    const [folded] = await mergePieces(db, [{ ...row, finishReason: null }])
    expect(JSON.parse(folded?.parts ?? "")).toEqual(record.parts())
    expect(folded?.content).toBe(record.content())
    await db.deleteFrom("answerPieces").execute()
  }
})

// Catches text with a hole, because a piece in the middle couldn't be stored.
test("stores no piece after a failed save", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
  try {
    let saves = 0
    const save = () => (saves++ === 0 ? Promise.reject(new Error("full")) : Promise.resolve())
    const failures: unknown[] = []
    const saver = createAnswerSaver(save, (cause) => failures.push(cause))
    saver.touch()
    await vi.advanceTimersByTimeAsync(1_000)
    saver.touch()
    await vi.advanceTimersByTimeAsync(1_000)
    await saver.stop()
    expect([saves, failures.length > 0]).toEqual([1, true])
  } finally {
    vi.useRealTimers()
  }
})

// Catches an answer that ends because the database server restarts, and a piece that is stored twice because its outcome was unknown.
test("saves again what the database server didn't receive, and nothing whose outcome is unknown", async () => {
  const said = sentence("core.database_away")
  const save = async (errors: DatabaseAway[]) => {
    let saves = 0
    const saver = createAnswerSaver(
      () => (errors[saves++] ? Promise.reject(errors[saves - 1]) : Promise.resolve()),
      () => undefined,
    )
    const isSaved = await saver.flush().then(
      () => true,
      () => false,
    )
    return { isSaved, saves }
  }
  const unsent = () => new DatabaseAway(new Error("refused"), said, true)
  expect(await save([unsent(), unsent()])).toEqual({ isSaved: true, saves: 3 })
  expect(await save([new DatabaseAway(new Error("cut"), said, false)])).toEqual({ isSaved: false, saves: 1 })
})

// Catches an answer that counts as failed because the database accepts no changes at the moment when it ends.
test("stores how an answer ended although the database is away at that moment", async () => {
  await begin(1)
  const { db } = server.database
  const transaction = db.transaction.bind(db)
  let failures = 3
  const away = vi.spyOn(db, "transaction").mockImplementation(() => {
    const builder = transaction()
    if (failures-- > 0)
      builder.execute = () =>
        Promise.reject(new DatabaseAway(new Error("read-only"), sentence("core.database_read_only"), true))
    return builder
  })
  try {
    await client().chat.stop({ params: { chatId: "c1" } })
  } finally {
    away.mockRestore()
  }
  expect(failures).toBeLessThan(0)
  expect((await getRow(db))[0]).toMatchObject({ finishReason: "aborted" })
})
