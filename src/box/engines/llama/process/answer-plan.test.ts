import { expect, test } from "vitest"
import type { GenerateRequest } from "../../engine.ts"
import { planAnswer } from "./answer-plan.ts"

const messages = [{ role: "user" as const, content: "hi" }]
const requestWithTool = (parameters: Record<string, unknown>): GenerateRequest => ({
  messages,
  functions: [{ name: "tool", parameters }],
})

// Catches a third-party tool schema that overflows the stack or stalls the engine for everyone.
test("rejects a tool schema that is too deep, too large or invalid, and names the tool", () => {
  let deep: Record<string, unknown> = { type: "string" }
  for (let depth = 0; depth < 50_000; depth++) deep = { type: "array", items: deep }
  const wide = { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, {}])) }
  for (const schema of [deep, wide, { type: "banana" }, { type: "array", minItems: 1e9 }]) {
    expect(() => planAnswer(requestWithTool(schema))).toThrow(/tools\[0\]\.function\.parameters/)
  }
  expect(
    planAnswer(requestWithTool({ type: "object", properties: { a: { type: "string" } } })).schema,
  ).toBeNull()
})
