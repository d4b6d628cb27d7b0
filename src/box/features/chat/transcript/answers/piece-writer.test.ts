import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { OpenDatabase } from "../../../../core/database/database.ts"
import { timestamp } from "../../../../core/ids.ts"
import { openPeopledDatabase } from "../../../../testing/served-features.ts"
import { createPieceWriter } from "./answer-pieces.ts"

const answers = 1_200
const part = (text: string) => [{ type: "text" as const, text }]

let directory: string
let database: OpenDatabase
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-piece-writer-"))
  database = await openPeopledDatabase(directory, ["alice"])
  const createdAt = timestamp()
  await database.db
    .insertInto("conversations")
    .values({
      ownerId: "alice",
      id: "many",
      title: "Many",
      foldedTitle: "many",
      origin: "APP",
      vectorIds: "[]",
      messageCount: answers,
      streamStatus: "active",
      createdAt,
      updatedAt: createdAt,
    })
    .execute()
  const messages = Array.from({ length: answers }, (_, depth) => ({
    ownerId: "alice",
    conversationId: "many",
    id: `m${depth}`,
    parentId: null,
    depth,
    role: "assistant" as const,
    content: "",
    parts: "[]",
    readLabels: null,
    createdAt,
  }))
  await database.db.insertInto("messages").values(messages).execute()
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

// Catches answers that wait for thousands of consecutive statements, a piece reported as stored that isn't, a failed piece that fails
// others too, and pieces in the wrong order.
test("stores pieces of many answers together, except one whose chat is gone", async () => {
  const add = createPieceWriter(database.db)
  const outcomes = await Promise.all(
    Array.from({ length: answers }, async (_, index) => {
      const id = index === 700 ? "gone" : `m${index}`
      for (const text of ["One ", "two ", "three."])
        try {
          await add(id, part(`${text}${index}`))
        } catch {
          return "refused"
        }
      return "stored"
    }),
  )
  expect(outcomes.flatMap((outcome, index) => (outcome === "refused" ? [index] : []))).toEqual([700])
  const { rows } = await sql<{ messageId: string; parts: string }>`
    SELECT "messageId", parts FROM "answerPieces" ORDER BY id`.execute(database.db)
  const of = Map.groupBy(rows, ({ messageId }) => messageId)
  expect(of.size).toBe(answers - 1)
  for (const [id, pieces] of of) {
    const index = id.slice(1)
    const wanted = ["One ", "two ", "three."].map((text) => JSON.stringify(part(`${text}${index}`)))
    expect(pieces.map(({ parts }) => parts)).toEqual(wanted)
  }
})

// Catches one statement per piece: thousands of answers would queue for a connection and be cut off.
test("stores all pieces with few statements", async () => {
  let statements = 0
  const counting = database.db.withPlugin({
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const add = createPieceWriter(counting)
  await Promise.all(Array.from({ length: answers }, (_, index) => add(`m${index}`, part("Word"))))
  expect(statements).toBeLessThan(10)
})
