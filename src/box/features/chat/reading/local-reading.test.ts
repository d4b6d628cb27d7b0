import { afterEach, beforeEach, expect, test } from "vitest"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { startChatServer, startTestEngine, type TestEngine } from "../../../testing/chat-server.ts"
import type { ReadingLibrary } from "./library.ts"
import { testBlock, testDocument } from "./testing/documents.ts"

const contextSize = 2_048
let model: TestEngine
beforeEach(() => {
  // Keyed by the last character of the question.
  const replies = { "!": { forever: " on and on" } }
  model = startTestEngine(contextSize, { reply: "The walrus sleeps.", replies, contextSize })
})
afterEach(() => model.engine[Symbol.asyncDispose]())

const document = testDocument("d", [
  testBlock("The walrus sleeps at noon.", { location: { line: 1 } }),
  ...Array.from({ length: 12 }, (_, index) =>
    testBlock(`${index} boats. `.repeat(25), { location: { line: 2 + index } }),
  ),
])
async function* blocks() {
  yield await Promise.resolve(document.blocks)
}
const library: ReadingLibrary = {
  files: () => Promise.resolve([document.file]),
  filtered: (_reader, files) => Promise.resolve([...files]),
  pending: () => Promise.resolve({ count: 0, files: [] }),
  file: () => Promise.resolve(document.file),
  blocks: () => Promise.resolve(blocks()),
  characters: () => Promise.resolve(new Map([["d", 2_000]])),
  beginning: () => Promise.resolve([]),
  getPassage: () => Promise.resolve("passage"),
}

async function ask(content: string, minutes: () => number = () => 30): Promise<ChatEvent[]> {
  const wholeLimit = () => ({ characters: 1_000_000, minutes: minutes() })
  await using server = await startChatServer({
    engine: model.engine,
    folders: ["folder"],
    reading: { library, wholeLimit },
  })
  const body = {
    id: "c",
    messages: [{ role: "user" as const, content }],
    boxAddress: "https://box.example/",
    vector: ["folder"],
    reading: "whole" as const,
  }
  const events: ChatEvent[] = []
  for await (const event of server.getClient("alice").chat.send({ body })) events.push(event)
  return events
}

// Catches parts that don't fit a small local model, and a note that loses its location.
test("reads part by part with a local model", async () => {
  const events = await ask("Who is it?")
  const progress = events.filter((event) => event.type === "progress" && event.stage === "reading")
  expect(progress.length).toBeGreaterThanOrEqual(3)
  expect(events.find(({ type }) => type === "coverage")).toMatchObject({
    complete: true,
    files: [{ read: 13, of: 13 }],
  })
  expect(events.filter(({ type }) => type === "source")).toMatchObject([
    { location: { line: 1 }, id: "passage" },
  ])
  expect(events.filter(({ type }) => type === "text-delta")).toMatchObject([
    { textDelta: "The walrus sleeps. [1]" },
  ])
})

// Catches a model that repeats itself and is believed, or is asked forever.
test("retries once and reports the file when the model only repeats itself", async () => {
  const events = await ask("Again!")
  expect(events.find(({ type }) => type === "coverage")).toMatchObject({
    complete: false,
    files: [{ read: 0, skipped: expect.stringContaining("repeated itself") as string }],
  })
})

// Catches a reading that never ends, and one that is cut without a notice.
test("reports files that weren't read in time", async () => {
  let asked = 0
  const events = await ask("Who is it?", () => (asked++ === 0 ? 30 : 0))
  expect(events.find(({ type }) => type === "coverage")).toMatchObject({
    complete: false,
    files: [{ read: 0, skipped: expect.stringContaining("time limit for reading was reached") as string }],
  })
  expect(events.at(-1)).toMatchObject({ finishReason: "error" })
})
