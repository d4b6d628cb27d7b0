import { expect, test } from "vitest"
import type { MessagePart } from "../../shared/contract/chat.ts"
import type { Scope } from "../../shared/contract/endpoint.ts"
import { createPartRedactor, redactOrigin } from "./withheld.ts"

const call = (toolCallId: string, toolName: string): MessagePart => ({
  type: "tool-call",
  toolCallId,
  toolName,
  args: { action: "remember", text: "The rent is 1,200 euros." },
})
const source = { type: "source" } as MessagePart

function getArgs(scopes: Scope[] | null, parts: MessagePart[]): unknown[] {
  const redact = createPartRedactor({ scopes })
  return parts.flatMap((part) => {
    const shown = redact(part)
    return shown?.type === "tool-call" ? [shown.args] : []
  })
}

// Catches words of a folder that reach a key without the scope for folders, in a fact that a model noted after it read them.
test("leaves out facts that a model noted after it read folders", () => {
  const shown = { action: "remember", text: "The rent is 1,200 euros." }
  expect(getArgs(["assistants"], [call("a", "memory"), source, call("b", "memory")])).toEqual([shown, {}])
  expect(getArgs(["folders"], [source, call("b", "memory")])).toEqual([shown])
  expect(getArgs(null, [source, call("b", "memory")])).toEqual([shown])
  const approval = { toolName: "memory", args: shown, reason: "", reasonCode: "write" as const }
  expect(redactOrigin(approval, { scopes: ["assistants"] }).args).toEqual({})
  expect(redactOrigin(approval, { scopes: ["folders"] }).args).toEqual(shown)
})
