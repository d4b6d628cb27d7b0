import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KyselyPlugin } from "kysely"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Question, QuestionDraft } from "../../../shared/contract/questions.ts"
import type { OpenDatabase } from "../../core/database/database.ts"
import { openTestDatabase } from "../../core/database/testing/test-database.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import type { Caller } from "../../http/caller.ts"
import { createQuestions, type Questions } from "./service.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

const caller: Caller = {
  userId: "ada",
  credentialId: "session",
  via: "session",
  origin: "APP",
  scopes: null,
  isOwner: true,
}
const draft: QuestionDraft = {
  title: "Deploy?",
  description: "",
  choices: ["yes", "no"],
  default: null,
  expiresInSeconds: 600,
}
const never = new AbortController().signal

let directory: string
let database: OpenDatabase
/** The database connection that the questions use. */
let db: OpenDatabase["db"]
/** Number of running statements. */
let asked: number
let questions: Questions
let stopping: AbortController
/** The tests' clock. */
let now: number
/** Decided questions that were reported to the person. */
let expiredQuestions: Question[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-questions-"))
  database = await openTestDatabase(join(directory, "casella.sqlite"))
  await database.db
    .insertInto("users")
    .values({ id: "ada", email: "ada@example.com", name: "Ada", createdAt: "" })
    .execute()
  asked = 0
  db = database.db.withPlugin(counting)
  now = Date.parse("2026-11-27T08:00:00Z")
  expiredQuestions = []
  questions = open()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})
afterEach(async () => {
  vi.useRealTimers()
  questions[Symbol.dispose]()
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

/** The service as it is right after a start. */
function open(): Questions {
  stopping = new AbortController()
  return createQuestions({
    db,
    logger: silentLogger,
    stopping: stopping.signal,
    now: () => now,
    notify: (_caller, _question, also) => db.transaction().execute(also),
    async updateQuestion(_ownerId, question, also) {
      await db.transaction().execute(also)
      expiredQuestions.push(question)
    },
  })
}
const ask = (more: Partial<QuestionDraft> = {}) => questions.ask(caller, { ...draft, ...more })
const counting: KyselyPlugin = {
  transformQuery({ node }) {
    asked++
    return node
  },
  async transformResult({ result }) {
    asked--
    return result
  },
}
/** Resolves when no statement is running. Otherwise the advanced timers would include those of the database connections. */
async function waitUntilIdle(): Promise<void> {
  await questions.start()
  const isAsking = () => asked > 0
  while (isAsking()) await new Promise(setImmediate)
}
async function pass(seconds: number): Promise<void> {
  now += seconds * 1000
  await vi.advanceTimersByTimeAsync(seconds * 1000)
}

// Catches a question that stays open for ever, and a waiting caller that learns of its end only when the wait is over.
test.each([null, "no"])("a question expires when its time is over, with the default %s", async (choice) => {
  const { id } = await ask({ default: choice, expiresInSeconds: 30 })
  const waiting = questions.read(caller, id, 60, never)
  await waitUntilIdle()
  await pass(29)
  expect(expiredQuestions).toEqual([])
  await pass(1)
  const expired = { id, status: "expired", answer: choice, answeredAt: null }
  expect(await waiting).toMatchObject(expired)
  expect(expiredQuestions).toMatchObject([expired])
})

// Catches a late answer that is accepted after the script has continued without it, but before the server has noticed.
test("an answer that arrives too late is refused, even before the server has checked the clock", async () => {
  const { id } = await ask({ default: "no" })
  now += 600_000
  await expect(questions.answer(caller, id, "yes")).rejects.toMatchObject({ code: "conflict" })
  expect(await questions.read(caller, id, 0, never)).toMatchObject({ status: "expired", answer: "no" })
})

// Catches a question that expired while the server was off and then stays open for ever.
test("a start expires overdue questions and continues with the others", async () => {
  const over = await ask({ default: "no", expiresInSeconds: 60 })
  const still = await ask({ expiresInSeconds: 3_600 })
  questions[Symbol.dispose]()
  now += 120_000
  questions = open()
  await questions.start()
  expect(expiredQuestions).toMatchObject([{ id: over.id, status: "expired", answer: "no" }])
  await pass(3_480)
  expect(await questions.read(caller, still.id, 0, never)).toMatchObject({ status: "expired", answer: null })
})

// Catches a question that expires a week late because the computer slept or its clock was changed.
test("a clock that is set ahead is noticed", async () => {
  const { id } = await ask({ expiresInSeconds: 604_800 })
  await waitUntilIdle()
  await pass(60)
  now += 700_000_000
  await vi.advanceTimersByTimeAsync(15_000)
  await waitFor(() => expect(expiredQuestions).toMatchObject([{ id, status: "expired" }]))
})

// Catches a server that keeps querying its database while someone waits or a question is open.
test("nothing is read from the database while a question is open and someone waits", async () => {
  const { id } = await ask({ expiresInSeconds: 604_800 })
  const left = new AbortController()
  const waiting = questions.read(caller, id, 60, left.signal)
  await waitUntilIdle()
  await questions.read(caller, id, 0, never)
  const selects = vi.spyOn(db, "selectFrom")
  await pass(50)
  expect(selects).not.toHaveBeenCalled()
  selects.mockRestore()
  left.abort(new Error("gone"))
  await expect(waiting).rejects.toThrow("gone")
})

// Catches two answers that each find the question open, and a second answer that replaces the first.
test("the first of two concurrent answers is valid, even when the time runs out", async () => {
  const { id } = await ask({ default: "no" })
  const answers = await Promise.allSettled(
    ["yes", "no"].map((choice) => questions.answer(caller, id, choice)),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
  expect(expiredQuestions).toHaveLength(1)
  expect(await questions.read(caller, id, 0, never)).toMatchObject({ answer: expiredQuestions[0]?.answer })
  now += 600_000
  await questions.start()
  expect(expiredQuestions).toHaveLength(1)
})

// Catches requests that pile up without limit, and a count that never decreases.
test("at most 100 requests of a person wait; those that end make room", async () => {
  const { id } = await ask()
  const left = new AbortController()
  const waiting = Array.from({ length: 100 }, () => questions.read(caller, id, 60, left.signal))
  await expect(questions.read(caller, id, 60, never)).rejects.toMatchObject({ code: "rate_limited" })
  left.abort(new Error("gone"))
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe("rejected")
  const again = questions.read(caller, id, 60, never)
  await questions.answer(caller, id, "yes")
  expect((await again).answer).toBe("yes")
})

// Catches a shutdown that takes as long as someone waits.
test("stopping the server ends all waits", async () => {
  const { id } = await ask()
  const waiting = questions.read(caller, id, 60, never)
  stopping.abort()
  await expect(waiting).rejects.toMatchObject({ code: "unavailable" })
})

// Catches decided questions that are kept for ever.
test("the newest 1,000 decided questions are kept", async () => {
  const first = await ask()
  await questions.answer(caller, first.id, "yes")
  const row = await database.db.selectFrom("questions").selectAll().executeTakeFirstOrThrow()
  for (let copy = 0; copy < 10; copy++)
    await database.db
      .insertInto("questions")
      .values(Array.from({ length: 100 }, (_, index) => ({ ...row, id: `f${copy}-${String(index)}` })))
      .execute()
  await ask()
  await expect(questions.read(caller, first.id, 0, never)).rejects.toMatchObject({ code: "not_found" })
  const { count } = await database.db
    .selectFrom("questions")
    .select((e) => e.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  expect(count).toBe(1_001)
})

// Catches an unreadable time, as in an altered backup, for which a timer of 1 ms is set again and again.
test("an unreadable time keeps nothing busy, and other questions expire", async () => {
  const broken = await ask()
  const other = await ask({ expiresInSeconds: 900 })
  const expiresAt = "2026-11-27T08:10:x"
  await database.db.updateTable("questions").set({ expiresAt }).where("id", "=", broken.id).execute()
  await waitUntilIdle()
  const looked = vi.spyOn(db, "selectFrom")
  await pass(10)
  expect(looked).not.toHaveBeenCalled()
  for (let minute = 0; minute < 16; minute++) {
    await pass(60)
    await waitUntilIdle()
  }
  expect(expiredQuestions.map(({ id }) => id).toSorted()).toEqual([broken.id, other.id].toSorted())
})
