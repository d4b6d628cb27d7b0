import { createHash } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { engineVersion, fingerprintNativeCode } from "../computer.ts"
import type { GpuChoice } from "../process/gpu-choice.ts"
import { buildEmbeddingModel, buildRankingModel } from "./bert-models.ts"
import { buildScriptedModel, type ScriptedModelOptions } from "./scripted-model.ts"

/** Raise this when the builders write something else for the same options, so that no old file is used. */
const version = 2

/** Makes models run on the processor and skips the test of the native code in a separate process. */
export const testGpu: GpuChoice = {
  wanted: () => Promise.resolve(false),
  memoryBytes: () => 0,
  rememberFailure: () => undefined,
  proof: {
    kind: (shouldUseGpu) => (shouldUseGpu ? null : false),
    remember: () => undefined,
    forget: () => undefined,
  },
}

/**
 * Lets a box with this data directory skip the test processes. It starts as if on a computer without a GPU where a model has already run.
 */
export function writeKnownProcessor(dataDir: string): void {
  const code = fingerprintNativeCode()
  const known = { version: engineVersion, result: "none", memoryBytes: 0, at: Date.now() }
  const loaded = code === null ? {} : { tried: code, loaded: { code, gpu: false } }
  writeFileSync(join(dataDir, "gpu.json"), JSON.stringify({ ...known, ...loaded }))
}

/**
 * Returns the path of a scripted chat model, built on first use and kept in the system's temporary directory.
 *
 * Without options: a message ending in `!` → a reply without end; ending in `?` → calls `calculate({"expression":"2+2"})` and then replies
 * "The answer is 4."; anything else → "Hello from the scripted model.".
 */
export function ensureTestModel(options: ScriptedModelOptions = defaultScript): string {
  return ensure("scripted", options, (path) => buildScriptedModel(path, options))
}

/** The same model, but so slow that its longest answer outlasts everything else in an end-to-end test. */
export const ensureSlowTestModel = (): string => ensureTestModel({ ...defaultScript, feedForward: 16_384 })

/** Returns the path of an embedding model in which the words of each group mean the same. Its header contains `name`. */
export function ensureTestEmbeddingModel(groups: string[][] = defaultGroups, name?: string): string {
  const named = name === undefined ? {} : { name }
  return ensure("embedding", [groups, named], (path) => buildEmbeddingModel(path, groups, named))
}

/** Returns the path of a reranking model that scores "walrus" high and "zebra" low. */
export function ensureTestRankingModel(words = { good: ["walrus"], bad: ["zebra"] }): string {
  return ensure("ranking", words, (path) => buildRankingModel(path, words))
}

const defaultScript: ScriptedModelOptions = {
  reply: "Hello from the scripted model.",
  replies: {
    "!": { forever: " on and on" },
    "?": { call: { name: "calculate", args: { expression: "2+2" } } },
    "\n": "The answer is 4.",
  },
}

const defaultGroups = [
  ["cat", "kitten", "feline"],
  ["car", "automobile", "vehicle"],
  ["bread", "loaf", "baker"],
  ["money", "invoice", "payment"],
]

function ensure(kind: string, options: unknown, build: (path: string) => void): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([version, kind, options]))
    .digest("hex")
    .slice(0, 16)
  const directory = join(tmpdir(), "casella-test-models")
  const path = join(directory, `${kind}-${hash}.gguf`)
  if (!existsSync(path)) {
    mkdirSync(directory, { recursive: true })
    build(path)
  }
  return path
}
