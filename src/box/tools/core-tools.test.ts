import { afterAll, expect, test } from "vitest"
import { spawnNodeChild } from "../core/children/child.ts"
import type { coreTools as entries } from "../../shared/contract/tools.ts"
import { createCoreTools } from "./core-tools.ts"
import { createVocabulary } from "./policy/compare-words.ts"
import { decide } from "./policy/policy.ts"
import type { delegationKey } from "./registry.ts"
import type { ContextLabel, ToolEffect } from "./tool.ts"

const core = createCoreTools({
  readableFiles: async () => [],
  spawn: spawnNodeChild,
  // Nothing is called: the tools only describe what they would do.
  safe: null as never,
  pages: { safe: null as never, reader: null as never },
  memories: null as never,
  webSearch: null as never,
  filing: null as never,
})
afterAll(() => core[Symbol.asyncDispose]())

const foreign: ContextLabel = { trusted: false, private: false }
const secret: ContextLabel = { trusted: true, private: true }
const known = "https://example.com/"

/**
 * The effects of each kind of call, and whether `auto` runs it or asks: after nothing was read, after text from outside, and after private
 * data. The user said none of the words in the call.
 */
const golden: Record<
  Exclude<keyof typeof entries, typeof delegationKey>,
  [args: unknown, effects: ToolEffect[], auto: string][]
> = {
  calculate: [[{ expression: "1 + 1" }, ["read"], "run run run"]],
  webSearch: [[{ query: "x" }, ["egress"], "run run ask"]],
  fetch: [
    [{ url: known }, ["egress"], "run run run"],
    [{ url: "https://example.org/" }, ["egress"], "run ask ask"],
  ],
  getWeather: [[{ place: "Rome" }, ["egress"], "run run ask"]],
  addAReasoningStep: [[{ title: "First" }, ["read"], "run run run"]],
  memory: [
    [{ action: "recall" }, ["read"], "run run run"],
    [{ action: "recall", text: "tea" }, ["read"], "run run run"],
    [{ action: "remember", text: "Likes tea" }, ["read", "write"], "ask ask ask"],
    [{ action: "forget", text: "tea" }, ["read", "write"], "ask ask ask"],
  ],
  createWidget: [[{ title: "x", html: "<p>" }, ["exec"], "run run run"]],
  plot: [
    [
      { kind: "bar", title: "x", labels: ["a"], series: [{ name: "s", values: [1] }] },
      ["read"],
      "run run run",
    ],
  ],
  codeInterpreter: [[{ code: "1" }, ["exec"], "run run run"]],
  filing: [[{ file: "a.txt", name: "b" }, ["read", "write"], "ask ask ask"]],
}

// Catches a tool that does more than it declares, an action with another action's effects, and a tool missing from this list.
test.each(Object.entries(golden))("%s has the declared effects and the matching approvals", (key, calls) => {
  const tool = core.tools.find((each) => each.key === key)
  for (const [args, effects, auto] of calls) {
    tool?.check?.(args)
    expect(tool?.effects(args)).toEqual(effects)
    const verdicts = [[], [foreign], [foreign, secret]].map(
      (labels) =>
        decide({
          standing: { mode: "auto", refuses: null },
          toolName: key,
          effects: tool?.effects(args) ?? [],
          args,
          parameters: tool?.parameters ?? {},
          addresses: tool?.addresses?.(args) ?? null,
          knowledge: {
            labels,
            userWords: createVocabulary([]),
            named: [new Set([known])],
            found: new Set(),
            getOrigin: () => null,
          },
          opened: new Set(),
          remembered: false,
        }).verdict,
    )
    expect(verdicts.join(" "), JSON.stringify(args)).toBe(auto)
  }
})

// Catches arguments that are judged before they are validated, so that a default effect applies.
test("rejects invalid arguments instead of assuming an effect", () => {
  const memory = core.tools.find(({ key }) => key === "memory")
  expect(() => memory?.effects({ action: "wipe" })).toThrow("The arguments aren't valid")
})

// Catches tool descriptions that grow beyond a quarter of a small model's context window, so that tools are left out.
test("all tool descriptions together leave room in a context window of 8,192 tokens", () => {
  const tokens = (isFiling: boolean) => {
    const tools = core.tools.filter(({ key }) => (key === "filing") === isFiling)
    const texts = tools.map(({ name, description, parameters }) =>
      JSON.stringify({ type: "function", function: { name, description, parameters } }, null, 2),
    )
    return texts.join("\n").length / 4
  }
  expect(tokens(false)).toBeLessThan(8192 * 0.23)
  // The filing tools are described only in chats that have folders.
  expect(tokens(true)).toBeLessThan(8192 * 0.06)
})
