import { expect, test } from "vitest"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { applyEvent, emptyAnswer } from "./live-answer.ts"

const answerOf = (...events: ChatEvent[]) => events.reduce(applyEvent, emptyAnswer)
const progress = (stage: "reading" | "combining", done: number): ChatEvent => ({
  type: "progress",
  stage,
  done,
  total: 80,
  unit: "parts",
})

// Would catch a bar that stands over the words it made way for, or one that is kept as if it were written.
test("how far the documents are read is known until words come, and isn't a part", () => {
  const reading = answerOf(progress("reading", 12), progress("combining", 1))
  expect(reading.reading).toEqual({ stage: "combining", done: 1, total: 80, isLong: false })
  expect(reading.parts).toEqual([])
  expect(applyEvent(reading, { type: "text-delta", textDelta: "So" })).toMatchObject({
    reading: undefined,
    parts: [{ type: "text", text: "So" }],
  })
})

// Would catch an answer that ended while it read and goes on showing its bar.
test("an answer that is over reads no more", () => {
  const usage = {
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    firstTokenMs: null,
    tokensPerSecond: null,
  }
  const coverage: ChatEvent = { type: "coverage", files: [], complete: false }
  const ended = answerOf(progress("reading", 3), coverage, { type: "finish", finishReason: "aborted", usage })
  expect(ended).toMatchObject({ reading: undefined, parts: [coverage], finishReason: "aborted" })
})

// Would catch: buttons for what takes long that go while the last minute is read, or come for what is done in a moment.
test("reading that was told to take more than half a minute stays long", () => {
  const told = (secondsLeft: number) =>
    ({ type: "progress", stage: "reading", done: 0, total: 2, unit: "parts", secondsLeft }) as const
  expect(applyEvent(emptyAnswer, told(30)).reading?.isLong).toBe(false)
  const long = applyEvent(emptyAnswer, told(31))
  expect(applyEvent(long, told(5)).reading).toMatchObject({ isLong: true, secondsLeft: 5 })
})
