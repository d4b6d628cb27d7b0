import { expect, test } from "vitest"
import { onBehalfOf } from "../../core/async-context.ts"
import { spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createLlamaEmbedder } from "./llama-encoders.ts"
import { ensureTestEmbeddingModel, testGpu } from "./testing/test-models.ts"

// Catches a question that waits until all texts of someone else are embedded.
test("people take turns at the embedding model", async () => {
  await using engine = createLlamaEmbedder({
    modelPath: ensureTestEmbeddingModel([["cat"]]),
    spawn: spawnNodeChild,
    gpu: testGpu,
    logger: silentLogger,
  })
  await engine.embed(["cat"])
  const ended: string[] = []
  const embed = async (userId: string) => {
    await onBehalfOf({ userId }, () => engine.embed(["cat"]))
    ended.push(userId)
  }
  await Promise.all([...Array.from({ length: 40 }, () => embed("bob")), embed("ann")])
  expect(ended.indexOf("ann")).toBeLessThan(4)
})
