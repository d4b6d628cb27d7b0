import { afterAll, expect, test } from "vitest"
import { spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createLlamaEmbedder } from "../llama/llama-embedder.ts"
import { ensureTestEmbeddingModel, testGpu } from "../llama/testing/test-models.ts"
import { promptsFor } from "./prompts.ts"
import { createTextEmbedder, vectorsName } from "./text-embedder.ts"

const engine = createLlamaEmbedder({
  modelPath: ensureTestEmbeddingModel([["query"], ["passage"], ["cat"]], "Multilingual E5 Tiny"),
  spawn: spawnNodeChild,
  gpu: testGpu,
  logger: silentLogger,
})
afterAll(() => engine[Symbol.asyncDispose]())

const e5 = { names: ["e5-tiny"], query: "query: ", document: "passage: " }

// Catches prompts that the model never gets, that are mixed up, or that each text of a batch but the first lacks.
test("questions and passages reach the model with what it wants to read before them", async () => {
  const texts = createTextEmbedder(engine, promptsFor(engine.names(), [e5]))
  expect(await texts.embed(["cat"], "query")).toEqual(await engine.embed(["query: cat"]))
  expect(await texts.embed(["cat", "cat cat"], "document")).toEqual(
    await engine.embed(["passage: cat", "passage: cat cat"]),
  )
  expect(await texts.embed(["cat"], "query")).not.toEqual(await engine.embed(["cat"]))
})

// Catches vectors made with one prompt that are compared with those of another, and work done again for nothing.
test("passages are embedded anew for another prompt before them, not for another one before questions", () => {
  expect(vectorsName("m", { query: "q: ", document: "" })).toBe("m")
  expect(vectorsName("m", e5)).not.toBe("m")
  expect(vectorsName("m", e5)).toBe(vectorsName("m", { ...e5, query: "" }))
  expect(vectorsName("m", e5)).not.toBe(vectorsName("m", { ...e5, document: "text: " }))
})
