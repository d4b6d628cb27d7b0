import { expect, test } from "vitest"
import type { MessagePart, Source } from "../../../../shared/contract/chat.ts"
import { arrangeParts, getFailure, hasOpenCalls } from "./arrange-parts.ts"

const call = (toolCallId: string, toolName = "calculate") =>
  ({ type: "tool-call", toolCallId, toolName, args: {} }) as const
const result = (toolCallId: string, value: unknown = "4") =>
  ({ type: "tool-result", toolCallId, result: value }) as const
const file = (fileId: string) =>
  ({ type: "file", toolCallId: "a", fileId, name: fileId, mediaType: "text/csv", size: 1 }) as const

// Catches a paragraph that is split because a source arrived in the middle of it.
test("joins text around sources, and orders sources by number", () => {
  const source = (citation: number): MessagePart => ({ type: "source", citation }) as MessagePart & Source
  const { sections, sources } = arrangeParts([
    { type: "text", text: "One " },
    source(2),
    source(1),
    { type: "text", text: "sentence." },
  ])
  expect(sections).toEqual([{ type: "text", text: "One sentence." }])
  expect(sources.map(({ citation }) => citation)).toEqual([1, 2])
})

// Catches a result attached to the wrong call when several run in one round, and a separate group for every call.
test("groups consecutive steps, each call with its own result", () => {
  const { sections } = arrangeParts([
    { type: "reasoning", text: "Hm." },
    call("a"),
    call("b"),
    result("b", "of b"),
    { type: "text", text: "\n" },
    call("c"),
    { type: "text", text: "So." },
  ])
  expect(sections).toEqual([
    {
      type: "steps",
      steps: [
        { type: "reasoning", text: "Hm." },
        { type: "call", call: call("a"), result: undefined },
        { type: "call", call: call("b"), result: result("b", "of b") },
        { type: "call", call: call("c"), result: undefined },
      ],
    },
    { type: "text", text: "So." },
  ])
})

test("lists files created one after another together", () => {
  const { sections } = arrangeParts([call("a"), result("a"), file("1"), file("2")])
  expect(sections[1]).toEqual({ type: "files", files: [file("1"), file("2")] })
})

// Catches an answer that is announced as ready while it waits for approval.
test("treats an answer as having open calls until each has its result", () => {
  expect(hasOpenCalls([call("a"), call("b"), result("a")])).toBe(true)
  expect(hasOpenCalls([call("a"), result("a")])).toBe(false)
})

test("treats a call as failed only if its result is nothing but an error", () => {
  const failed = (value: unknown) => getFailure({ type: "call", call: call("a"), result: result("a", value) })
  expect(failed({ error: "No such page." })).toBe("No such page.")
  expect(failed({ output: "1\n", error: "ZeroDivisionError" })).toBeUndefined()
  expect(failed("error")).toBeUndefined()
})

// Catches coverage shown in the middle of an answer because a notice or more text follows.
test("keeps coverage separate", () => {
  const coverage = { type: "coverage" as const, files: [], complete: true }
  const { sections, coverage: found } = arrangeParts([
    { type: "text", text: "One" },
    coverage,
    { type: "text", text: " sentence." },
  ])
  expect(sections).toEqual([{ type: "text", text: "One sentence." }])
  expect(found).toBe(coverage)
})
