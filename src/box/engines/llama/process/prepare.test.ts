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

/** How many tokens of the prompt were evaluated before, and how many there are. */
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
/** Of the question and what the template says around it. */
const ownTokens = 30

// Catches a list of tools that each new chat pays for again, and a prefix that takes another chat's place.
test("A new conversation pays for its question only, once its prefix was read ahead", async () => {
  start()
  expect((await ask("Ann", "a")).cached).toBe(0)
  expect((await ask("Bob", "b")).cached).toBeLessThan(ownTokens)
  await engine.prepare(prefix("Cid"))
  await engine.prepare(prefix("Cid"))
  const prepared = await ask("Cid", "c")
  expect(prepared.all - prepared.cached).toBeLessThan(ownTokens)
  // The newest conversation kept its place.
  await engine.prepare(prefix("Dee"))
  const again = await ask("Cid", "c")
  expect(again.all - again.cached).toBeLessThan(ownTokens)
})

// Catches a question that waits for what nobody has asked yet, and work that is thrown away.
test("A question goes before what is read ahead, and uses what was read of it", async () => {
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

test("Nothing is read ahead by a model that isn't loaded", async () => {
  start()
  await engine.prepare(prefix("Ann"))
  expect(engine.state.status).toBe("idle")
})
