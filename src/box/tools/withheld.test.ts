import { expect, test } from "vitest"
import type { MessagePart } from "../../shared/contract/chat.ts"
import type { Scope } from "../../shared/contract/endpoint.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
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

// Catches the name of a file that is read for a whole-document answer, in the progress that every follower of the stream hears.
test("names no file in the progress of an answer", () => {
  const progress = { type: "progress", fileName: "dismissal.txt" }
  const shownTo = (...scopes: Scope[]) => createPartRedactor({ scopes })(progress)
  expect(shownTo("assistants")).toEqual({ type: "progress", fileName: undefined })
  for (const scopes of [["folders"], ["read-only"]] as Scope[][]) expect(shownTo(...scopes)).toEqual(progress)
  expect(createPartRedactor({ scopes: null })(progress)).toEqual(progress)
})

// Catches the name of an attached image in the error of an answer that couldn't show it to the model.
test("names no image in the error of an answer", () => {
  const what = sentence("pictures.ended")
  const { text, field } = sentence("pictures.one_of", { name: "scan of the dismissal.png", what })
  const part: MessagePart = { type: "error", error: text, code: "unsupported_content", ...field }
  const shown = createPartRedactor({ scopes: ["assistants"] })(part)
  expect(shown).toMatchObject({ error: `{{file.name}}: ${what.text}`, code: "unsupported_content" })
  expect(JSON.stringify(shown)).not.toContain("dismissal")
  for (const scopes of [["folders"], ["read-only"], null] as (Scope[] | null)[])
    expect(createPartRedactor({ scopes })(part)).toEqual(part)
})
