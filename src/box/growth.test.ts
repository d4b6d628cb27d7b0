import SqliteDatabase from "better-sqlite3"
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../shared/testing/wait-for.ts"
import type { Client } from "../shared/client/http-client.ts"
import { databasePath } from "./start/open-data.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

/** Tables in which a box has tens of thousands of rows. */
const large =
  "conversations|messages|files|passages|fileTexts|passageEmbeddings|notifications|searchedMessages|namedFiles"

let box: TestBox
let client: Client
let folder: { id: string }
let sqlite: SqliteDatabase.Database
beforeAll(async () => {
  box = await startTestBox()
  client = box.client
  folder = { id: (await client.folders.create({ body: { name: "Notes" } })).vector.id }
  sqlite = new SqliteDatabase(databasePath(box.dataDir))
})
afterAll(async () => {
  sqlite.close()
  await box[Symbol.asyncDispose]()
})

const readings = ["all", "get", "iterate"] as const

/** Returns the queries that the box runs on its large tables during some work. Statements are prepared once and kept. */
async function getStatements(work: () => Promise<unknown>): Promise<string[]> {
  const asked = new Set<string>()
  const prototype = Object.getPrototypeOf(sqlite.prepare("SELECT 1")) as SqliteDatabase.Statement
  const originals = readings.map((name) => prototype[name])
  for (const [index, name] of readings.entries()) {
    const original = originals[index] as (...values: unknown[]) => never
    prototype[name] = function (this: SqliteDatabase.Statement, ...values: unknown[]) {
      asked.add(this.source)
      return original.apply(this, values)
    }
  }
  try {
    await work()
  } finally {
    for (const [index, name] of readings.entries()) Object.assign(prototype, { [name]: originals[index] })
  }
  return [...asked].filter((sql) => new RegExp(`^(with|select).*"(${large})"`, "is").test(sql))
}

function getPlan(statement: string): string[] {
  const values = Array.from(statement.matchAll(/\?/g), () => null)
  const steps = sqlite.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...values) as { detail: string }[]
  return steps.map(({ detail }) => detail)
}

// Catches a list that counts or scans all rows to show its first page.
test.for<[string, () => Promise<unknown>]>([
  ["chats", () => client.conversations.list({ query: { limit: 7 } })],
  ["pinned chats", () => client.conversations.list({ query: { pinned: true } })],
  ["chats of scripts", () => client.conversations.list({ query: { origin: "API" } })],
  ["folders", () => client.folders.list()],
  ["files", () => client.files.list({ params: folder, query: { limit: 7 } })],
  ["failed files", () => client.files.list({ params: folder, query: { status: "failed" } })],
  ["notifications", () => client.notifications.list({ query: { limit: 7 } })],
  ["unread notifications", () => client.notifications.list({ query: { unreadOnly: true } })],
  ["the unread count", () => client.notifications.unreadCount()],
])("reads the first page of %s without scanning the rest", async ([, work]) => {
  const statements = await getStatements(work)
  for (const statement of statements) {
    const plan = getPlan(statement)
    expect(
      plan.filter((step) => new RegExp(`^SCAN (${large})\\b(?! VIRTUAL)`).test(step)),
      statement,
    ).toEqual([])
    expect(
      plan.filter((step) => step.includes("TEMP B-TREE")),
      statement,
    ).toEqual([])
    expect(statement).not.toMatch(new RegExp(`(count|sum|max)\\([^)]*\\).*from "(${large})"`, "is"))
  }
})

// Catches a name search that reads every row, and pinned chats that are searched for among all chats.
test("searches names and finds pinned chats in indexes", async () => {
  const searched = await getStatements(async () => {
    await client.conversations.list({ query: { search: "heron" } })
    await client.files.list({ params: folder, query: { search: "heron" } })
  })
  const counts = searched.filter((sql) => /count\(\*\).*"(conversations|files)"/.test(sql))
  expect(counts).toHaveLength(2)
  for (const count of counts) expect(getPlan(count).join()).toContain("COVERING INDEX")
  const pinned = await getStatements(() => client.conversations.list({ query: { pinned: true, limit: 9 } }))
  const list = pinned.find((sql) => sql.includes('select * from "conversations"')) ?? ""
  expect(getPlan(list).join()).toContain("conversationsPinned")
})

// Uses its own box, because indexing continues after the test and its statements aren't those of a list. Catches counts that drift from the
// actual rows when files and chats are added, changed and removed.
test("keeps counts equal to the actual rows", async () => {
  await using resources = new AsyncDisposableStack()
  const own = resources.use(await startTestBox())
  const database = new SqliteDatabase(databasePath(own.dataDir), { timeout: 0 })
  const rows = resources.adopt(database, (opened) => void opened.close())
  const { id } = (await own.client.folders.create({ body: { name: "Notes" } })).vector
  const owner = rows.prepare("SELECT id FROM users").pluck().get() as string
  const chat = rows.prepare(
    `INSERT INTO conversations (ownerId, id, title, foldedTitle, origin, vectorIds, messageCount, streamStatus, createdAt, updatedAt)
      VALUES (?, ?, 'A', 'A', ?, '[]', 0, 'completed', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
  )
  const addChats = rows.transaction(() => {
    for (let number = 0; number < 20; number++)
      chat.run(owner, `c${number}`, number % 3 === 0 ? "API" : "APP")
  })
  await waitFor(() => addChats.immediate()) // The box may be writing.
  for (let number = 0; number < 6; number++) {
    const file = new Blob([`Note ${number}`])
    const { files } = await own.client.files.upload({ params: { id }, file, fileName: `note-${number}.md` })
    if (number % 2 === 0) await own.client.files.remove({ params: { id, fileId: files[0]?.id ?? "" } })
  }
  for (const number of [1, 2, 3, 4]) {
    const params = { id: `c${number}` }
    await own.client.conversations.update({ params, body: { pinned: true } })
    if (number > 2) await own.client.conversations.remove({ params })
    if (number === 4) await own.client.conversations.update({ params: { id: "c5" }, body: { pinned: true } })
  }
  const kept = (table: string, columns: string) =>
    rows.prepare(`SELECT ${columns}, amount FROM ${table} WHERE amount <> 0 ORDER BY ${columns}`).all()
  const counted = (table: string, columns: string, where = "true") =>
    rows
      .prepare(
        `SELECT ${columns}, count(*) AS amount FROM ${table} WHERE ${where} GROUP BY ${columns} ORDER BY ${columns}`,
      )
      .all()
  const chats = "ownerId, origin, pinned"
  expect(kept("conversationCounts", chats)).toEqual(counted("conversations", chats, "removed = 0"))
  const files = "folderId, status"
  expect(kept("fileCounts", files)).toEqual(counted("files", files))
  const { pagination } = await own.client.conversations.list({ query: { origin: "APP", pinned: true } })
  expect(pagination.total).toBe(3)
})
