import { expect, test } from "vitest"
import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import { testPassage } from "../../../../testing/chat-server.ts"
import { createResumedRecord, cutAnswer } from "./interrupted-turns.ts"

const text = (words: string): MessagePart => ({ type: "text", text: words })
const thought: MessagePart = { type: "reasoning", text: "Hm." }
const notice: MessagePart = { type: "notice", code: "no_vision", message: "It sees no pictures." }
const error: MessagePart = { type: "error", error: "Not now.", code: "unavailable" }
const call = (toolCallId: string): MessagePart => ({
  type: "tool-call",
  toolCallId,
  toolName: "memory",
  args: {},
})
const result = (toolCallId: string): MessagePart => ({ type: "tool-result", toolCallId, result: "done" })
const source = { type: "source" as const, ...testPassage("p1", "Penguins swim."), url: "", citation: 1 }
const cut = (parts: MessagePart[], readsWhole = false) => cutAnswer(parts, { readsWhole })

// Catches half a text that the model receives as complete, and calls or passages that an answer loses.
test("cuts an answer after its last finished step", () => {
  const step = [text("Let me see."), call("a"), result("a")]
  expect(cut([...step, thought, text("It is do")])).toEqual({
    kept: step,
    cutOff: [thought, text("It is do")],
    unended: 0,
  })
  expect(cut([notice, source, text("They sw")]).kept).toEqual([notice, source])
  for (const parts of [[], [notice, text("They sw")], [thought]])
    expect(cut(parts)).toEqual({ kept: [], cutOff: parts, unended: 0 })
  expect(cut([notice, source, text("| Bird |")], true).kept).toEqual([])
})

// Catches a call that is made again, or that stays open forever.
test("gives each interrupted call a result that says so", () => {
  const { kept, cutOff, unended } = cut([call("a"), call("b"), result("a")])
  expect(kept.slice(0, 3)).toEqual([call("a"), call("b"), result("a")])
  expect(kept.slice(3)).toMatchObject([
    {
      type: "tool-result",
      toolCallId: "b",
      result: { error: expect.stringContaining("It is unknown whether") as string },
    },
  ])
  expect([cutOff, unended]).toEqual([[], 1])
})

// Catches text that is removed before anything replaces it, for example when only reasoning or passages follow.
test("keeps the cut-off text until the model writes something", () => {
  const record = createResumedRecord(cut([call("a"), result("a"), notice, text("It is do")]))
  const before = [...record.parts()]
  record.add(notice)
  record.add({ type: "reasoning-delta", textDelta: "Hm." })
  record.add(source)
  expect(record.parts()).toEqual(before)
  expect([record.content(), record.takeNew()]).toEqual(["It is do", []])
  record.add(error)
  expect(record.parts()).toEqual([...before, error])
})

// Catches an answer that contains both the cut-off text and its replacement, or pieces that lack their beginning.
test("replaces the cut-off text with what the model writes", () => {
  const record = createResumedRecord(cut([call("a"), result("a"), text("It is do")]))
  record.add({ type: "reasoning-delta", textDelta: "Hm." })
  record.add({ type: "text-delta", textDelta: "It is done." })
  expect(record.parts()).toEqual([call("a"), result("a"), thought, text("It is done.")])
  expect(record.takeNew()).toEqual([thought, text("It is done.")])
  record.add({ type: "text-delta", textDelta: " Well." })
  expect([record.content(), record.takeNew()]).toEqual(["It is done. Well.", [text(" Well.")]])
})
