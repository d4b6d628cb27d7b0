import { expect, test } from "vitest"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { applyEvent, emptyAnswer } from "./live-answer.ts"

const getAnswer = (...events: ChatEvent[]) => events.reduce(applyEvent, emptyAnswer)
const progress = (stage: "reading" | "combining", done: number): ChatEvent => ({
  type: "progress",
  stage,
  done,
  total: 80,
  unit: "parts",
})

// Catches a progress bar that stays above the text that replaces it, or one that is kept as part of the answer.
test("keeps reading progress until text arrives, and never as a part", () => {
  const reading = getAnswer(progress("reading", 12), progress("combining", 1))
  expect(reading.reading).toEqual({ stage: "combining", done: 1, total: 80, isLong: false })
  expect(reading.parts).toEqual([])
  expect(applyEvent(reading, { type: "text-delta", textDelta: "So" })).toMatchObject({
    reading: undefined,
    parts: [{ type: "text", text: "So" }],
  })
})

// Catches an answer that ended while reading and still shows its progress bar.
test("drops reading progress when the answer ends", () => {
  const usage = {
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    firstTokenMs: null,
    tokensPerSecond: null,
  }
  const coverage: ChatEvent = { type: "coverage", files: [], complete: false }
  const ended = getAnswer(progress("reading", 3), coverage, {
    type: "finish",
    finishReason: "aborted",
    usage,
  })
  expect(ended).toMatchObject({ reading: undefined, parts: [coverage], finishReason: "aborted" })
})

// Catches buttons for slow reading that disappear near the end, or that appear for quick reading.
test("keeps reading marked as long after an estimate of more than half a minute", () => {
  const getProgress = (secondsLeft: number) =>
    ({ type: "progress", stage: "reading", done: 0, total: 2, unit: "parts", secondsLeft }) as const
  expect(applyEvent(emptyAnswer, getProgress(30)).reading?.isLong).toBe(false)
  const long = applyEvent(emptyAnswer, getProgress(31))
  expect(applyEvent(long, getProgress(5)).reading).toMatchObject({ isLong: true, secondsLeft: 5 })
})
