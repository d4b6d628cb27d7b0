import { afterAll, expect, test } from "vitest"
import { type Child, type SpawnChild, spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createLlamaReranker } from "./llama-encoders.ts"
import { ensureTestModel, ensureTestRankingModel, testGpu } from "./testing/test-models.ts"

const children: Child[] = []
const start = (modelPath: string, spawn: SpawnChild = spawnNodeChild) =>
  createLlamaReranker({ modelPath, spawn, gpu: testGpu, logger: silentLogger })
const reranker = start(ensureTestRankingModel(), (options) => {
  const child = spawnNodeChild(options)
  children.push(child)
  return child
})
afterAll(() => reranker[Symbol.asyncDispose]())

// Catches scores that are out of order, and long texts or questions that fail instead of being cut.
test("scores each text with the model, however long it is", async () => {
  const texts = ["the zebra runs", "the walrus eats", "nothing", `walrus ${"word ".repeat(5_000)}`]
  const [bad = 0, good = 0, neither = 0, long = 0] = await reranker.rank("which animal", texts)
  expect(bad).toBeLessThan(0.3)
  expect(good).toBeGreaterThan(0.7)
  expect(neither).toBeCloseTo(0.5)
  expect(long).toBeGreaterThan(0)
  expect(await reranker.rank("x ".repeat(5_000), ["walrus"])).toHaveLength(1)
  expect(await reranker.rank("x", [])).toEqual([])
  expect(reranker.state).toMatchObject({ status: "ready" })
})

// Catches a crash that takes the box down with it, or that is permanent.
test("restarts after its process dies", async () => {
  await reranker.rank("x", ["walrus"])
  process.kill(children.at(-1)?.pid ?? 0, "SIGKILL")
  await children.at(-1)?.exited
  expect(await reranker.rank("x", ["walrus"])).toHaveLength(1)
})

// Catches a model of another kind that appears to work.
test("reports a model that can't rank as unusable", async () => {
  await using other = start(ensureTestModel())
  await expect(other.rank("x", ["y"])).rejects.toMatchObject({ code: "unavailable" })
  expect(other.state).toMatchObject({ status: "failed" })
})
