import { createHash } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { engineVersion, fingerprintNativeCode } from "../native-code.ts"
import type { GpuChoice } from "../process/gpu-choice.ts"
import { buildEmbeddingModel } from "./embedding-model.ts"
import { buildRankingModel } from "./ranking-model.ts"
import { buildScriptedModel, type ScriptedModelOptions } from "./scripted-model.ts"

/** Raised when the builders change what they write for the same options, so that no old file is used. */
const version = 2

/** Models run on the processor, and the native code isn't tried in a separate process first. */
export const testGpu: GpuChoice = {
  wanted: () => Promise.resolve(false),
  memoryBytes: () => 0,
  rememberFailure: () => undefined,
  proof: {
    kind: (withGpu) => (withGpu ? null : false),
    remember: () => undefined,
    forget: () => undefined,
  },
}

/** Saves a box on this data directory the trial processes: it starts as on a computer without a GPU where a model has already run. */
export function writeKnownProcessor(dataDir: string): void {
  const code = fingerprintNativeCode()
  const known = { version: engineVersion, result: "none", memoryBytes: 0, at: Date.now() }
  const loaded = code === null ? {} : { tried: code, loaded: { code, gpu: false } }
  writeFileSync(join(dataDir, "gpu.json"), JSON.stringify({ ...known, ...loaded }))
}

/**
 * Path of a scripted chat model, built at first use and kept in the system's temporary directory.
 *
 * Without options: ends in `!` → goes on forever; ends in `?` → calls `calculate({"expression":"2+2"})`, after whose
 * result it says "The answer is 4."; anything else → "Hello from the scripted model.".
 */
export function ensureTestModel(options: ScriptedModelOptions = defaultScript): string {
  return ensure("scripted", options, (path) => buildScriptedModel(path, options))
}

/** The same, slow enough for its longest answer to outlast whatever a journey does meanwhile. */
export const ensureSlowTestModel = (): string => ensureTestModel({ ...defaultScript, feedForward: 16_384 })

/** Path of an embedding model in which the words of each group mean the same; `name` is what its header calls it. */
export function ensureTestEmbeddingModel(groups: string[][] = defaultGroups, name?: string): string {
  const named = name === undefined ? {} : { name }
  return ensure("embedding", [groups, named], (path) => buildEmbeddingModel(path, groups, named))
}

/** Path of a reranking model that likes a walrus and dislikes a zebra. */
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
