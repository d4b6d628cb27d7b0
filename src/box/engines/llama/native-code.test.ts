import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type SpawnChild, spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createGpuChoice } from "./process/gpu-choice.ts"
import { createLlamaEngine } from "./llama-engine.ts"
import { engineVersion } from "./native-code.ts"
import { ensureTestModel } from "./testing/test-models.ts"

let file: string
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "casella-native-")), "gpu.json")
  const probed = { version: engineVersion, result: "none", memoryBytes: 0, at: Date.now() }
  writeFileSync(file, JSON.stringify(probed))
})
afterEach(() => rmSync(join(file, ".."), { recursive: true }))

const choose = () => createGpuChoice({ file, spawn: spawnNodeChild, logger: silentLogger })
const kept = () => (JSON.parse(readFileSync(file, "utf8")) as { loaded?: { code: string } }).loaded

/** Starts the engine as after a new start of the box. */
async function start(spawn: SpawnChild): Promise<number> {
  await using engine = createLlamaEngine({
    modelPath: ensureTestModel(),
    spawn,
    gpu: choose(),
    logger: silentLogger,
  })
  return await engine.countTokens("hello")
}

/** Starts processes that can't start another one to try the native code in. */
const withoutChildren: SpawnChild = (options) =>
  spawnNodeChild({
    ...options,
    execArgv: (options.execArgv ?? []).filter((each) => each !== "--allow-child-process"),
  })

const killed: SpawnChild = (options) => {
  const child = spawnNodeChild(options)
  child.kill()
  return child
}

// Would catch: a third of a second at each start for a trial whose outcome is known.
test(
  "native code that has loaded a model isn't tried again at the next start",
  { tags: "linux" },
  async () => {
    await expect(start(withoutChildren)).rejects.toMatchObject({ code: "unavailable" })
    expect(await start(spawnNodeChild)).toBe(5)
    expect(await start(withoutChildren)).toBe(5)
  },
)

// Would catch: native code that crashes on this computer, and is trusted again and again.
test("it is after a start that failed, and where its files or the computer are others", async () => {
  await start(spawnNodeChild)
  expect(choose().proof.kind(false)).toBe(false)
  expect(choose().proof.kind(true)).toBeNull()
  await expect(start(killed)).rejects.toMatchObject({ code: "unavailable" })
  expect(kept()).toBeUndefined()
  expect(choose().proof.kind(false)).toBeNull()

  await start(spawnNodeChild)
  const loaded = { ...kept(), code: "of another computer" }
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), loaded }))
  expect(choose().proof.kind(false)).toBeNull()
})
