import { expect, test } from "vitest"
import { AppError } from "../../../../shared/contract/errors.ts"
import { createWaitingStore, type WaitingStore } from "../../../data/waiting-store.ts"
import type { ChatSessionState } from "../session/chat-session.ts"
import { createQuestionRunner } from "./question-runner.ts"
import { Sentence } from "../../../../shared/sentences/sentence.ts"

function memory(): Pick<Storage, "getItem" | "setItem"> {
  const items = new Map<string, string>()
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) }
}

/** A session whose answers end when the test says so. */
function setUp(refusals: Error[] = []) {
  const waiting = createWaitingStore(memory())
  const asked: { text: string; folders: string[] }[] = []
  const listeners = new Set<() => void>()
  let state: ChatSessionState = { phase: "idle", turn: undefined }
  const set = (phase: ChatSessionState["phase"]) => {
    state = { phase, turn: undefined }
    for (const listener of listeners) listener()
  }
  const session = {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getState: () => state,
    attach: () => Promise.resolve(),
    ask: (_history: unknown, text: string, folders: string[]) => {
      const refusal = refusals.shift()
      if (refusal !== undefined) return Promise.reject(refusal)
      asked.push({ text, folders })
      set("streaming")
      return Promise.resolve()
    },
  }
  let indexing = false
  let undecided = false
  const decided: (() => void)[] = []
  const runner = createQuestionRunner({
    waiting,
    session: () => session,
    history: () => Promise.resolve([]),
    folders: (_chatId, chosen, signal) =>
      new Promise((resolve) => {
        const done = () => resolve([...chosen, "own"])
        if (signal.aborted || !indexing) done()
        signal.addEventListener("abort", done)
      }),
    approvals: (_chatId, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || !undecided) resolve(false)
        signal.addEventListener("abort", () => resolve(false))
        decided.push(() => resolve(true))
      }),
    describe: (error) => (error as Error).message,
    exclusively: (_chatId, work) => work(),
  })
  return {
    waiting,
    runner,
    asked,
    finish: () => set("idle"),
    keepForFiles: () => {
      indexing = true
    },
    keepForDecision: () => {
      undecided = true
    },
    decide: () => {
      undecided = false
      for (const go of decided) go()
    },
  }
}

const add = (waiting: WaitingStore, id: string) => waiting.add("c", { id, text: id, folderIds: [] })
/** Lets promises go on until nothing moves any more. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

// Would catch questions that overtake each other, and one that is asked while an answer is still being made.
test("questions are asked in their order, each when the answer before it is complete", async () => {
  const { waiting, runner, asked, finish } = setUp()
  add(waiting, "one")
  add(waiting, "two")
  runner.run("c")
  runner.run("c")
  await settle()
  expect(asked.map(({ text }) => text)).toEqual(["one"])
  expect(waiting.get("c").questions.map(({ id }) => id)).toEqual(["two"])
  finish()
  await settle()
  expect(asked.map(({ text }) => text)).toEqual(["one", "two"])
  expect(waiting.chats()).toEqual([])
})

// Would catch a question that is lost because there is no model yet, and a loop that asks again and again.
test("without a model questions are kept until they are let go", async () => {
  const { waiting, runner, asked } = setUp([new AppError("no_model", Sentence.asIs("There is none."))])
  add(waiting, "one")
  runner.run("c")
  await settle()
  expect(asked).toEqual([])
  expect(waiting.get("c")).toMatchObject({ questions: [{ id: "one" }], hold: { kind: "model" } })
  waiting.hold("c", undefined)
  runner.run("c")
  await settle()
  expect(asked.map(({ text }) => text)).toEqual(["one"])
})

test("a refused question is kept with the reason, and so is what waits behind it", async () => {
  const { waiting, runner } = setUp([new AppError("disk_full", Sentence.asIs("The disk is full."))])
  add(waiting, "one")
  add(waiting, "two")
  runner.run("c")
  await settle()
  const { questions, hold } = waiting.get("c")
  expect(questions.map(({ id }) => id)).toEqual(["one", "two"])
  expect(hold).toEqual({ kind: "failed", reason: "The disk is full." })
})

// Would catch a question asked after it was taken back, or with the text it had before it was changed.
test("what is changed or removed while files are indexed counts", async () => {
  const { waiting, runner, asked, finish, keepForFiles } = setUp()
  keepForFiles()
  add(waiting, "one")
  add(waiting, "two")
  runner.run("c")
  await settle()
  expect(asked).toEqual([])
  waiting.change("c", "two", { text: "changed", now: true })
  waiting.remove("c", "one")
  await settle()
  expect(asked).toEqual([{ text: "changed", folders: ["own"] }])
  finish()
})

// Would catch a question that silently denies a call which somebody was about to allow.
test("calls that wait are decided about first, unless the question is to be asked now", async () => {
  const { waiting, runner, asked, finish, keepForDecision, decide } = setUp()
  keepForDecision()
  add(waiting, "one")
  add(waiting, "two")
  runner.run("c")
  await settle()
  expect(asked).toEqual([])
  decide()
  await settle()
  expect(asked.map(({ text }) => text)).toEqual(["one"])
  keepForDecision()
  finish()
  await settle()
  expect(asked).toHaveLength(1)
  waiting.change("c", "two", { now: true })
  await settle()
  expect(asked.map(({ text }) => text)).toEqual(["one", "two"])
})
