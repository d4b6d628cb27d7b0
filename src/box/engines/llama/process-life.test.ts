import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type SpawnChild, spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import type { EngineState } from "../engine.ts"
import { createGpuChoice } from "./process/gpu-choice.ts"
import { createLlamaEmbedder } from "./llama-encoders.ts"
import { createLlamaEngine } from "./llama-engine.ts"
import { ensureTestEmbeddingModel, ensureTestModel, testGpu } from "./testing/test-models.ts"

const { version: engineVersion } = JSON.parse(
  readFileSync(new URL("../../../../node_modules/node-llama-cpp/package.json", import.meta.url), "utf8"),
) as { version: string }

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "casella-process-"))
})
afterEach(() => rmSync(directory, { recursive: true }))

test("the model process ends when the box is killed", async () => {
  const box = spawn(
    process.execPath,
    ["--input-type=module", "--eval", boxProgram, ensureTestModel(), new URL(".", import.meta.url).href],
    { stdio: ["ignore", "pipe", "pipe"] },
  )
  // Both processes have the error pipe open: it ends only when both are gone.
  const bothExited = once(box.stderr, "end")
  box.stderr.resume()
  await once(box.stdout, "data")
  box.kill("SIGKILL")
  await bothExited
})

const boxProgram = `
const [model, base] = process.argv.slice(1)
const { createLlamaEngine } = await import(new URL("llama-engine.ts", base).href)
const { spawnNodeChild } = await import(new URL("../../core/children/child.ts", base).href)
const { silentLogger } = await import(new URL("../../core/logging/logger.ts", base).href)
const gpu = { wanted: async () => false, memoryBytes: () => 0, rememberFailure() {} }
const engine = createLlamaEngine({ modelPath: model, spawn: spawnNodeChild, gpu, logger: silentLogger })
const request = { messages: [{ role: "user", content: "go on!" }] }
for await (const event of engine.generate(request, new AbortController().signal))
  if (event.type === "text") process.stdout.write(event.text)
`

describe("the GPU", () => {
  const file = (): string => join(directory, "gpu.json")

  test("is probed once, in a temporary process", async () => {
    let started = 0
    const spawn: SpawnChild = (options) => {
      started++
      return spawnNodeChild(options)
    }
    const wanted = await createGpuChoice({ file: file(), spawn, logger: silentLogger }).wanted()
    expect(started).toBe(1)
    // Without the version, a repaired driver would never be tried again.
    expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({
      version: expect.stringContaining(`${engineVersion} `) as string,
    })
    expect(await createGpuChoice({ file: file(), spawn, logger: silentLogger }).wanted()).toBe(wanted)
    expect(started).toBe(1)
  })

  test("is never probed again if its driver crashes the process", async () => {
    let started = 0
    const spawn: SpawnChild = (options) => {
      started++
      const child = spawnNodeChild(options)
      child.kill()
      return child
    }
    const choice = () => createGpuChoice({ file: file(), spawn, logger: silentLogger })
    const tried = choice()
    const wanted = tried.wanted()
    expect(tried.trial()).toBeNull() // the probe hasn't failed yet
    expect(await wanted).toBe(false)
    expect(tried.trial()).toBe("failed")
    expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ result: "failed" })
    expect(await choice().wanted()).toBe(false)
    expect(started).toBe(1)
  })

  test("is replaced by the processor if the model can't be loaded on it", async () => {
    const remembered: string[] = []
    const gpu = {
      wanted: async () => true,
      memoryBytes: () => 0,
      rememberFailure: () => remembered.push("failed"),
    }
    let first = true
    const spawn: SpawnChild = (options) => {
      const child = spawnNodeChild(options)
      if (first) child.kill()
      first = false
      return child
    }
    await using engine = createLlamaEngine({ modelPath: ensureTestModel(), spawn, gpu, logger: silentLogger })
    expect(await engine.countTokens("hello")).toBe(5)
    expect(remembered).toEqual(["failed"])
  })
})

describe("a process that dies while it loads", () => {
  test("makes the engine unavailable with a reason, and is retried at the next use", async () => {
    let broken = true
    const spawn: SpawnChild = (options) => {
      const child = spawnNodeChild(options)
      if (broken) child.kill()
      return child
    }
    await using engine = createLlamaEngine({
      modelPath: ensureTestModel(),
      spawn,
      gpu: testGpu,
      logger: silentLogger,
    })
    const states: EngineState["status"][] = []
    engine.onState(({ status }) => states.push(status))
    await expect(engine.countTokens("hello")).rejects.toMatchObject({ code: "unavailable" })
    expect(states.at(-1)).toBe("failed")
    broken = false
    expect(await engine.countTokens("hello")).toBe(5)
    expect(states.at(-1)).toBe("ready")
  })
})

describe("embeddings", () => {
  test("have length one, keep the order of the texts, and are close together for similar meanings", async () => {
    const modelPath = ensureTestEmbeddingModel()
    await using embedder = createLlamaEmbedder({
      modelPath,
      spawn: spawnNodeChild,
      gpu: testGpu,
      logger: silentLogger,
    })
    expect(await embedder.dimensions()).toBe(64)
    const words = ["cat", "car", "kitten", "automobile", "", "cat ".repeat(2000)]
    const texts = Array.from({ length: 8 }, () => words).flat()
    const vectors = await embedder.embed(texts)
    expect(vectors).toHaveLength(48)
    const [cat, car, kitten, automobile, , long] = vectors.slice(42)
    const similarity = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()) =>
      a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
    expect(similarity(cat, kitten)).toBeCloseTo(1, 3)
    expect(similarity(car, automobile)).toBeCloseTo(1, 3)
    expect(similarity(cat, car)).toBeLessThan(0.1)
    expect(similarity(cat, long)).toBeGreaterThan(0.9)
    expect(similarity(cat, cat)).toBeCloseTo(1, 3)
  })

  test("stop between batches when no one is waiting for them any more", async () => {
    const modelPath = ensureTestEmbeddingModel()
    await using embedder = createLlamaEmbedder({
      modelPath,
      spawn: spawnNodeChild,
      gpu: testGpu,
      logger: silentLogger,
    })
    const stop = AbortSignal.abort(new Error("stopped"))
    await expect(embedder.embed(["cat"], stop)).rejects.toThrow("stopped")
  })
})
