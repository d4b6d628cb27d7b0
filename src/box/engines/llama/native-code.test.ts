import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type SpawnChild, spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createGpuChoice } from "./process/gpu-choice.ts"
import { createLlamaEngine } from "./llama-engine.ts"
import { engineVersion, findGpuSupport, fingerprintNativeCode } from "./computer.ts"
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

/** Starts the engine as if the box had just restarted. */
async function start(spawn: SpawnChild): Promise<number> {
  await using engine = createLlamaEngine({
    modelPath: ensureTestModel(),
    spawn,
    gpu: choose(),
    logger: silentLogger,
  })
  return await engine.countTokens("hello")
}

/** Starts processes that can't start a child process to test the native code in. */
const spawnWithoutChildren: SpawnChild = (options) =>
  spawnNodeChild({
    ...options,
    execArgv: (options.execArgv ?? []).filter((each) => each !== "--allow-child-process"),
  })

const killed: SpawnChild = (options) => {
  const child = spawnNodeChild(options)
  child.kill()
  return child
}

// Catches a third of a second lost at each start to a test whose result is known.
test(
  "native code that has loaded a model isn't tested again at the next start",
  { tags: "linux" },
  async () => {
    await expect(start(spawnWithoutChildren)).rejects.toMatchObject({ code: "unavailable" })
    expect(await start(spawnNodeChild)).toBe(5)
    expect(await start(spawnWithoutChildren)).toBe(5)
  },
)

// Catches a first model that waits for a test of the code that the probe has just loaded.
test("native code that the probe loaded isn't tested again", { tags: "linux" }, async () => {
  rmSync(file)
  expect(await choose().wanted()).toBe(false)
  expect(await start(spawnWithoutChildren)).toBe(5)
})

// Catches native code that crashes on this computer but is still trusted at every start.
test("native code is tested again after a failed start, and when its files or the computer have changed", async () => {
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

// Catches an NVIDIA card that stays undetected for a day after CUDA was added, because no GPU was found without it.
test("a computer without a GPU is probed again after other native code is installed", async () => {
  const none = JSON.parse(readFileSync(file, "utf8")) as object
  const probes = async (tried?: string) => {
    writeFileSync(file, JSON.stringify({ ...none, tried }))
    let started = 0
    const spawn: SpawnChild = (options) => {
      started += 1
      return killed(options)
    }
    await createGpuChoice({ file, spawn, logger: silentLogger }).wanted()
    return started
  }
  expect(await probes()).toBe(0)
  expect(await probes(fingerprintNativeCode() ?? "")).toBe(0)
  expect(await probes("of the code before")).toBe(1)
})

// Catches settings that suggest adding CUDA when it is already there, or when no command can add it.
test(
  "graphics support lists the installed backends, and CUDA can be added in a checkout",
  { tags: "linux" },
  () => {
    const root = join(file, "..")
    const modules = join(root, "node_modules")
    const install = (name: string) => mkdirSync(join(modules, "@node-llama-cpp", name), { recursive: true })
    expect(findGpuSupport(modules)).toEqual({ gpuBackends: [], addCudaCommand: null })
    install("linux-x64")
    install("linux-x64-vulkan")
    expect(findGpuSupport(modules)).toEqual({ gpuBackends: ["vulkan"], addCudaCommand: null })
    mkdirSync(join(root, "tools/cuda"), { recursive: true })
    writeFileSync(join(root, "tools/cuda/package.json"), "{}")
    const addCudaCommand = process.arch === "x64" ? "npm run setup -- --cuda" : null
    expect(findGpuSupport(modules)).toEqual({ gpuBackends: ["vulkan"], addCudaCommand })
    install("linux-x64-cuda")
    install("linux-x64-cuda-ext")
    expect(findGpuSupport(modules)).toEqual({ gpuBackends: ["cuda", "vulkan"], addCudaCommand: null })
  },
)
