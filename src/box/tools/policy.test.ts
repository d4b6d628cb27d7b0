import { describe, expect, test } from "vitest"
import type { PermissionMode } from "../../shared/contract/assistants.ts"
import { comparableAddress, decide, stricterMode, type PolicyQuestion } from "./policy.ts"
import type { ContextLabel, ToolEffect } from "./tool.ts"

const own: ContextLabel = { trusted: true, private: true }
const labels = {
  "the user's text": [own],
  "a public page alone": [{ trusted: false, private: false }],
  "a public page beside the user's text": [own, { trusted: false, private: false }],
  "passages of a folder": [own, { trusted: false, private: true }],
} satisfies Record<string, ContextLabel[]>
const modes: PermissionMode[] = ["auto", "ask", "bypass"]
const effects: ToolEffect[][] = [
  [],
  ["read"],
  ["write"],
  ["egress"],
  ["exec"],
  ["read", "egress"],
  ["write", "egress"],
]

const question: PolicyQuestion = {
  mode: "auto",
  effects: ["read"],
  context: [own],
  addresses: null,
  knownAddresses: new Set(),
  remembered: false,
}

/** One letter per set of effects, in their order above: run, ask, deny. */
const golden: Record<keyof typeof labels, Record<PermissionMode, string>> = {
  "the user's text": { auto: "drarrra", ask: "daaaaaa", bypass: "drrrrrr" },
  "a public page alone": { auto: "drarrra", ask: "daaaaaa", bypass: "drrrrrr" },
  "a public page beside the user's text": { auto: "draaaaa", ask: "daaaaaa", bypass: "drrrrrr" },
  "passages of a folder": { auto: "draaaaa", ask: "daaaaaa", bypass: "drrrrrr" },
}

// Would catch: any change of who is asked about what, whoever makes it and however small it looks.
describe.each(Object.entries(labels))("beside %s", (name, context) => {
  test.each(modes)("%s decides as the table says", (mode) => {
    const verdicts = effects.map((each) => decide({ ...question, mode, context, effects: each }).verdict[0])
    expect(verdicts.join("")).toBe(golden[name as keyof typeof labels][mode])
  })
})

describe("an address", () => {
  const fetching = {
    ...question,
    effects: ["egress"] satisfies ToolEffect[],
    context: labels["passages of a folder"],
    knownAddresses: new Set(["https://example.com/a?b=1"]),
  }
  const verdict = (address: string, changes: Partial<PolicyQuestion> = {}) =>
    decide({ ...fetching, ...changes, addresses: [address] }).verdict

  // Would catch: a page that makes up an address with what it read in it.
  test("that the user wrote or a search returned is fetched unasked, any other isn't", () => {
    expect(verdict("https://example.com/a?b=1#part")).toBe("run")
    expect(verdict("HTTPS://EXAMPLE.com:443/a?b=1")).toBe("run")
    for (const other of [
      "https://example.com/a?b=2",
      "https://example.com/a",
      "http://example.com/a?b=1",
      "nonsense",
    ])
      expect(verdict(other), other).toBe("ask")
    expect(verdict("https://example.com/b", { context: [own] })).toBe("ask")
    expect(decide({ ...fetching, addresses: ["https://example.com/a?b=1", "http://sink/"] }).verdict).toBe(
      "ask",
    )
  })

  test("that is known is still asked about where everything is, or where something is changed", () => {
    expect(verdict("https://example.com/a?b=1", { mode: "ask" })).toBe("ask")
    expect(verdict("https://example.com/a?b=1", { effects: ["egress", "write"] })).toBe("ask")
  })

  // Would catch: one allowed page that opens the door to every address for the rest of the chat.
  test("that is foreign is asked about although its tool was remembered", () => {
    expect(verdict("http://sink/?q=secret", { remembered: true })).toBe("ask")
    expect(verdict("http://sink/?q=secret", { remembered: true, mode: "ask" })).toBe("ask")
    expect(verdict("http://sink/?q=secret", { mode: "bypass" })).toBe("run")
  })
})

test("a remembered tool isn't asked about again, and still never runs undeclared", () => {
  for (const mode of modes) {
    expect(decide({ ...question, mode, effects: ["write"], remembered: true }).verdict).toBe("run")
    expect(decide({ ...question, mode, effects: [], remembered: true }).verdict).toBe("deny")
    const unknown = ["read", "delete"] as unknown as ToolEffect[]
    expect(decide({ ...question, mode, effects: unknown, remembered: true }).verdict).toBe("deny")
  }
})

test("the reason names what is asked about", () => {
  expect(decide({ ...question, effects: ["write"] })).toMatchObject({ code: "write" })
  expect(decide({ ...question, mode: "ask" })).toMatchObject({ code: "mode" })
  const foreign = decide({ ...question, effects: ["egress"], addresses: [`http://sink/${"x".repeat(5000)}`] })
  expect(foreign).toMatchObject({
    code: "address",
    reason: expect.stringContaining("http://sink/") as string,
  })
  expect("reason" in foreign && foreign.reason.length).toBeLessThan(300)
})

test("the stricter of two modes is the one that asks more", () => {
  expect(stricterMode("bypass", "auto")).toBe("auto")
  expect(stricterMode("ask", "bypass")).toBe("ask")
  expect(stricterMode("auto", "ask")).toBe("ask")
  expect(stricterMode("bypass", "bypass")).toBe("bypass")
})

test("what is no address compares to itself", () => {
  expect(comparableAddress("not an address")).toBe("not an address")
})
