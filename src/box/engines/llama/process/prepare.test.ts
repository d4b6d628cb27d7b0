import { afterEach, expect, test } from "vitest"
import { spawnNodeChild } from "../../../core/children/child.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import type { PromptPrefix, ChatEngine, EngineEvent, GenerateRequest } from "../../engine.ts"
import { createLlamaEngine } from "../llama-engine.ts"
import { ensureTestModel, testGpu } from "../testing/test-models.ts"

let engine: ChatEngine
afterEach(() => engine[Symbol.asyncDispose]())

function start(): void {
  engine = createLlamaEngine({
    modelPath: ensureTestModel(),
    contextSize: 4096,
    spawn: spawnNodeChild,
    gpu: testGpu,
    logger: silentLogger,
  })
}

const prefix = (name: string): PromptPrefix => ({
  messages: [{ role: "system", content: `You are ${name}. ${"Be kind. ".repeat(40)}` }],
  functions: [
    { name: "look_up", description: "Looks up a word.", parameters: { type: "object", properties: {} } },
  ],
})

/** Returns how many tokens of the prompt were already evaluated, and how many it has in all. */
async function ask(name: string, conversationKey: string): Promise<{ cached: number; all: number }> {
  const { messages, ...rest } = prefix(name)
  const request: GenerateRequest = {
    ...rest,
    messages: [...messages, { role: "user", content: "Hello." }],
    conversationKey,
    maxTokens: 4,
  }
  let started: Extract<EngineEvent, { type: "start" }> | undefined
  for await (const event of engine.generate(request, new AbortController().signal))
    if (event.type === "start") started = event
  return { cached: started?.cachedTokens ?? 0, all: started?.promptTokens ?? 0 }
}
/** Tokens of the question and of the template around it. */
const ownTokens = 30

// Catches a tool list that each new chat evaluates again, and a prefix that takes another chat's slot.
test("A new chat evaluates only its question after its prefix was read ahead", async () => {
  start()
  expect((await ask("Ann", "a")).cached).toBe(0)
  expect((await ask("Bob", "b")).cached).toBeLessThan(ownTokens)
  await engine.prepare(prefix("Cid"))
  await engine.prepare(prefix("Cid"))
  const prepared = await ask("Cid", "c")
  expect(prepared.all - prepared.cached).toBeLessThan(ownTokens)
  // The newest chat kept its slot.
  await engine.prepare(prefix("Dee"))
  const again = await ask("Cid", "c")
  expect(again.all - again.cached).toBeLessThan(ownTokens)
})

// Catches a question that waits for a prefix read ahead, and prefix work that is thrown away.
test("A question runs before prefixes that are read ahead, and reuses their evaluated tokens", async () => {
  start()
  await ask("Ann", "a")
  const preparing = engine.prepare(prefix("Bob"))
  const answers = await Promise.all([ask("Bob", "b"), ask("Cid", "c"), ask("Dee", "d"), ask("Eve", "e")])
  await preparing
  expect(answers.map(({ all }) => all > 0)).toEqual([true, true, true, true])
  await Promise.all([engine.prepare(prefix("Fay")), engine.prepare(prefix("Gil"))])
  const { all, cached } = await ask("Gil", "g")
  expect(all - cached).toBeLessThan(ownTokens)
})

test("A model that isn't loaded reads nothing ahead", async () => {
  start()
  await engine.prepare(prefix("Ann"))
  expect(engine.state.status).toBe("idle")
})
