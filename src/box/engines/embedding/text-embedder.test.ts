import { afterAll, expect, test } from "vitest"
import { spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createLlamaEmbedder } from "../llama/llama-encoders.ts"
import { ensureTestEmbeddingModel, testGpu } from "../llama/testing/test-models.ts"
import { promptsFor, createTextEmbedder, vectorsName } from "./text-embedder.ts"

const engine = createLlamaEmbedder({
  modelPath: ensureTestEmbeddingModel([["query"], ["passage"], ["cat"]], "Multilingual E5 Tiny"),
  spawn: spawnNodeChild,
  gpu: testGpu,
  logger: silentLogger,
})
afterAll(() => engine[Symbol.asyncDispose]())

const e5 = { names: ["e5-tiny"], query: "query: ", document: "passage: " }

// Catches prompts that never reach the model, that are mixed up, or that only the first text of a batch gets.
test("sends questions and passages to the model with the prompts that it expects", async () => {
  const texts = createTextEmbedder(engine, promptsFor(engine.names(), [e5]))
  expect(await texts.embed(["cat"], "query")).toEqual(await engine.embed(["query: cat"]))
  expect(await texts.embed(["cat", "cat cat"], "document")).toEqual(
    await engine.embed(["passage: cat", "passage: cat cat"]),
  )
  expect(await texts.embed(["cat"], "query")).not.toEqual(await engine.embed(["cat"]))
})

// Catches vectors of one prompt that are compared with those of another, and passages that are embedded again needlessly.
test("embeds passages again for another passage prompt, but not for another question prompt", () => {
  expect(vectorsName("m", { query: "q: ", document: "" })).toBe("m")
  expect(vectorsName("m", e5)).not.toBe("m")
  expect(vectorsName("m", e5)).toBe(vectorsName("m", { ...e5, query: "" }))
  expect(vectorsName("m", e5)).not.toBe(vectorsName("m", { ...e5, document: "text: " }))
})
