import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createEventBatcher } from "./event-batcher.ts"
import type { ProcessEvent } from "../protocol.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
afterEach(() => void vi.useRealTimers())

const text = (value: string): ProcessEvent => ({ type: "text", text: value })

test("sends the first token at once, joins the following ones, and keeps the order of kinds", () => {
  const sent: ProcessEvent[][] = []
  const batcher = createEventBatcher((events) => sent.push(events))
  batcher.push(text("a"))
  expect(sent).toEqual([[text("a")]])
  batcher.push(text("b"))
  batcher.push(text("c"))
  batcher.push({ type: "reasoning", text: "d" })
  batcher.push(text("e"))
  expect(sent).toHaveLength(1)
  vi.advanceTimersByTime(20)
  expect(sent[1]).toEqual([text("bc"), { type: "reasoning", text: "d" }, text("e")])
  vi.advanceTimersByTime(100)
  batcher.push(text("f"))
  expect(sent[2]).toEqual([text("f")])
})

test("sends a finish without delay and nothing twice", () => {
  const sent: ProcessEvent[][] = []
  const batcher = createEventBatcher((events) => sent.push(events))
  batcher.push(text("a"))
  batcher.push(text("b"))
  batcher.push({ type: "tool-call", toolCallId: "1", name: "f", args: "{}" })
  expect(sent).toHaveLength(2)
  batcher.flush()
  vi.advanceTimersByTime(100)
  expect(sent).toHaveLength(2)
})
