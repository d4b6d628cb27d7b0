import { afterAll, expect, test } from "vitest"
import { spawnNodeChild } from "../core/child.ts"
import { silentLogger } from "../core/logger.ts"
import type { coreTools as entries } from "../../shared/contract/tools.ts"
import { createCoreTools } from "./core-tools.ts"
import { decide } from "./policy.ts"
import type { delegationKey } from "./registry.ts"
import type { ContextLabel, ToolEffect } from "./tool.ts"

const core = createCoreTools({
  spawn: spawnNodeChild,
  logger: silentLogger,
  // Nothing is called: the tools only say what they would do.
  safe: null as never,
  memories: null as never,
  webSearch: null as never,
})
afterAll(() => core[Symbol.asyncDispose]())

const own: ContextLabel = { trusted: true, private: true }
const foreign: ContextLabel = { trusted: false, private: true }
const known = "https://example.com/"

/** What each kind of call does, and whether `auto` runs it or asks: beside the user's own text, and beside a stranger's. */
const golden: Record<
  Exclude<keyof typeof entries, typeof delegationKey>,
  [args: unknown, effects: ToolEffect[], auto: string][]
> = {
  calculate: [[{ expression: "1 + 1" }, ["read"], "run run"]],
  webSearch: [[{ query: "x" }, ["egress"], "run ask"]],
  fetch: [
    [{ url: known }, ["egress"], "run run"],
    [{ url: "https://example.org/" }, ["egress"], "ask ask"],
  ],
  getWeather: [[{ place: "Rome" }, ["egress"], "run ask"]],
  addAReasoningStep: [[{ title: "First" }, ["read"], "run run"]],
  memory: [
    [{ action: "recall" }, ["read"], "run run"],
    [{ action: "recall", text: "tea" }, ["read"], "run run"],
    [{ action: "remember", text: "Likes tea" }, ["read", "write"], "ask ask"],
    [{ action: "forget", text: "tea" }, ["read", "write"], "ask ask"],
  ],
  createWidget: [[{ title: "x", html: "<p>" }, ["exec"], "run ask"]],
  plot: [
    [{ kind: "bar", title: "x", labels: ["a"], series: [{ name: "s", values: [1] }] }, ["read"], "run run"],
  ],
  codeInterpreter: [[{ code: "1" }, ["exec"], "run ask"]],
}

// Would catch: a tool that does more than it says, one action whose effect is another's, and one that nobody listed here.
test.each(Object.entries(golden))(
  "%s does what is declared, and is asked about accordingly",
  (key, calls) => {
    const tool = core.tools.find((each) => each.key === key)
    for (const [args, effects, auto] of calls) {
      tool?.check?.(args)
      expect(tool?.effects(args)).toEqual(effects)
      const verdicts = [[own], [own, foreign]].map(
        (context) =>
          decide({
            mode: "auto",
            effects: tool?.effects(args) ?? [],
            context,
            addresses: tool?.addresses?.(args) ?? null,
            knownAddresses: new Set([known]),
            remembered: false,
          }).verdict,
      )
      expect(verdicts.join(" "), JSON.stringify(args)).toBe(auto)
    }
  },
)

// Would catch: arguments that are judged before they were checked, so that some default effect counts.
test("arguments that don't fit have no effect at all", () => {
  const memory = core.tools.find(({ key }) => key === "memory")
  expect(() => memory?.effects({ action: "wipe" })).toThrow("The arguments don't fit")
})

// Would catch: descriptions that grow until a quarter of a small model's context doesn't hold them, and tools are left out.
test("all of them leave room beside them in a context of 8,192 tokens", () => {
  const texts = core.tools.map(({ name, description, parameters }) =>
    JSON.stringify({ type: "function", function: { name, description, parameters } }, null, 2),
  )
  expect(texts.join("\n").length / 4).toBeLessThan(8192 * 0.23)
})
