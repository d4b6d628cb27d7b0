// Compares the chat engine, as the box uses it, with bare node-llama-cpp at its best setting in the same run.
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { spawnNodeChild } from "../src/box/core/children/child.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import type { ChatEngine, EngineEvent, GenerateRequest } from "../src/box/engines/engine.ts"
import { createGpuChoice } from "../src/box/engines/llama/process/gpu-choice.ts"
import { createLlamaEngine } from "../src/box/engines/llama/llama-engine.ts"
import { buildRandomModel } from "../src/box/engines/llama/testing/random-model.ts"
import type { BareAnswer, BareRequest } from "./floors/bare-llama.ts"
import { median } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"

const rounds = 3
const tokens = 64
const cores = availableParallelism()
const prompt = "Tell me about the box"

interface Answer {
  firstEventMs: number
  firstTokenMs: number
  tokensPerSecond: number
  /** When the first text arrived, and when the answer ended. */
  firstAt: number
  endAt: number
  completionTokens: number
}

export async function run(): Promise<BenchResult[]> {
  const directory = join(tmpdir(), "casella-bench")
  mkdirSync(directory, { recursive: true })
  const modelPath = join(directory, "random-243m.gguf")
  if (!existsSync(modelPath)) buildRandomModel(modelPath)

  const gpu = createGpuChoice({
    file: join(directory, "gpu.json"),
    spawn: spawnNodeChild,
    logger: silentLogger,
  })
  const start = () =>
    createLlamaEngine({ modelPath, contextSize: 4096, spawn: spawnNodeChild, gpu, logger: silentLogger })
  await using engine = start()
  const bare = startBare(modelPath)
  try {
    const first = await measureFirstPrompt(start, modelPath)
    await warmUp(engine)
    await bare.measure(1, 1)
    return [
      ...first,
      ...(await measureOneStream(engine, bare)),
      ...(await measureFourStreams(engine, bare)),
      ...(await measureSecondTurn(engine)),
      ...(await measureStop(engine)),
      ...(await measureBusy(engine, start, bare)),
    ]
  } finally {
    bare.process.kill()
  }
}

/** Tokens of a prompt. For this model, one character is one token. */
const longPrompt = 512

/** Measures how fast an engine and bare node-llama-cpp read the very first prompt after their start. */
async function measureFirstPrompt(start: () => ChatEngine, modelPath: string): Promise<BenchResult[]> {
  const ours: Rate[] = []
  const floor: Rate[] = []
  for (let round = 0; round < rounds; round++) {
    const bare = startBare(modelPath)
    floor.push(await readByBare(bare, cores, round))
    bare.process.kill()
    ours.push(await readFirst(start))
  }
  return [compareWithFloor("prompt tokens/s, first prompt", fastest(ours), fastest(floor), 0.8)]
}

type Rate = Pick<Answer, "tokensPerSecond">

async function readByBare(bare: Bare, threads: number, round: number): Promise<Rate> {
  const text = String(round).padEnd(longPrompt, "x")
  const { firstTokenMs } = await bare.measure(threads, 1, { prompt: text, tokens: 1 })
  return { tokensPerSecond: (longPrompt * 1000) / firstTokenMs }
}

async function readFirst(start: () => ChatEngine): Promise<Rate> {
  await using engine = start()
  await engine.countTokens("") // loads the model
  const { firstTokenMs } = await ask(engine, {
    messages: [{ role: "user", content: "x".repeat(longPrompt) }],
    maxTokens: 2,
  })
  return { tokensPerSecond: (longPrompt * 1000) / firstTokenMs }
}

async function warmUp(engine: ChatEngine): Promise<void> {
  for (let index = 0; index < 3; index++) await ask(engine, { maxTokens: tokens })
}

/** One answer of either takes half a second, and times vary by a tenth. So the medians of many are compared. */
const singleRounds = 9

async function measureOneStream(engine: ChatEngine, bare: Bare): Promise<BenchResult[]> {
  const ours: Answer[] = []
  const floor: BareAnswer[] = []
  for (let round = 0; round < singleRounds; round++) {
    floor.push(await bare.measure(cores, 1))
    ours.push(await ask(engine, { maxTokens: tokens }))
  }
  return [
    atMost("call to first event", median(ours.map((answer) => answer.firstEventMs)), "ms", 10),
    compareWithFloor("tokens/s, 1 answer", median(ours.map(getRate)), median(floor.map(getRate)), 0.95),
  ]
}

async function measureFourStreams(engine: ChatEngine, bare: Bare): Promise<BenchResult[]> {
  const ours: Rate[] = []
  const floor: BareAnswer[] = []
  for (let round = 0; round < rounds; round++) {
    floor.push(await bare.measure(cores, 4))
    const answers = await Promise.all([1, 2, 3, 4].map(async () => ask(engine, { maxTokens: tokens })))
    const startedAt = Math.max(...answers.map(({ firstAt }) => firstAt))
    const ended = Math.max(...answers.map(({ endAt }) => endAt))
    const total = answers.reduce((sum, { completionTokens }) => sum + completionTokens - 1, 0)
    ours.push({ tokensPerSecond: (total * 1000) / (ended - startedAt) })
  }
  return [compareWithFloor("tokens/s, 4 answers at once", fastest(ours), fastest(floor), 0.95)]
}

/** Keeps one core busy, and ends with the bench. */
const busyProgram = `
process.on("disconnect", () => process.exit())
function work() {
  const until = performance.now() + 50
  while (performance.now() < until);
  setImmediate(work)
}
work()
`

async function measureBusy(engine: ChatEngine, start: () => ChatEngine, bare: Bare): Promise<BenchResult[]> {
  const busy = spawn(process.execPath, ["-e", busyProgram], { stdio: ["ignore", "ignore", "ignore", "ipc"] })
  try {
    const ours: number[] = []
    const floor: number[] = []
    for (let round = 0; round < rounds; round++) {
      floor.push((await bare.measure(1, 1)).tokensPerSecond)
      ours.push((await ask(engine, { maxTokens: tokens * 2 })).tokensPerSecond)
    }
    const prompts: number[] = []
    const promptFloor: number[] = []
    for (let round = 0; round < rounds; round++) {
      promptFloor.push((await readByBare(bare, 1, round)).tokensPerSecond)
      prompts.push((await readFirst(start)).tokensPerSecond)
    }
    return [
      compareWithFloor("tokens/s, another program busy", median(ours), median(floor), 0.8),
      compareWithFloor(
        "prompt tokens/s, first prompt, another program busy",
        median(prompts),
        median(promptFloor),
        0.8,
      ),
    ]
  } finally {
    busy.kill()
    await once(busy, "exit")
  }
}

async function measureSecondTurn(engine: ChatEngine): Promise<BenchResult[]> {
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    // For this model, one character is one token.
    const messages: GenerateRequest["messages"] = [{ role: "user", content: `${round} `.repeat(1000) }]
    const conversationKey = `long-${round}`
    const first = await ask(engine, { messages, conversationKey, maxTokens: 32 })
    messages.push({ role: "assistant", content: first.text }, { role: "user", content: "And in short?" })
    const second = await ask(engine, { messages, conversationKey, maxTokens: 32 })
    ratios.push((second.firstTokenMs / first.firstTokenMs) * 100)
  }
  return [
    atMost(
      "first token of a second turn after 2,000 tokens, share of the first turn's",
      median(ratios),
      "%",
      15,
    ),
  ]
}

async function measureStop(engine: ChatEngine): Promise<BenchResult[]> {
  const decoding: number[] = []
  const evaluating: number[] = []
  for (let round = 0; round < rounds; round++) {
    decoding.push(await timeToStop(engine, prompt, "text"))
    evaluating.push(await timeToStop(engine, `${round} stop`.repeat(300), "start"))
  }
  return [
    atMost("stop to idle while answering", Math.max(...decoding), "ms", 200),
    atMost("stop to idle while reading a long prompt", Math.max(...evaluating), "ms", 200),
  ]
}

async function timeToStop(engine: ChatEngine, content: string, after: EngineEvent["type"]): Promise<number> {
  const controller = new AbortController()
  let stopped = 0
  for await (const event of engine.generate({ messages: [{ role: "user", content }] }, controller.signal)) {
    if (event.type !== after || controller.signal.aborted) continue
    stopped = performance.now()
    controller.abort()
  }
  return performance.now() - stopped
}

async function ask(
  engine: ChatEngine,
  request: Partial<GenerateRequest>,
): Promise<Answer & { text: string }> {
  const called = performance.now()
  let firstEventMs = 0
  let firstAt = 0
  let text = ""
  const events = engine.generate(
    { messages: [{ role: "user", content: prompt }], ...request },
    new AbortController().signal,
  )
  for await (const event of events) {
    firstEventMs ||= performance.now() - called
    if (event.type === "text") {
      firstAt ||= performance.now()
      text += event.text
    }
    if (event.type !== "finish") continue
    const { completionTokens, tokensPerSecond, firstTokenMs } = event.usage
    return {
      firstEventMs,
      firstTokenMs: firstTokenMs ?? Number.NaN,
      tokensPerSecond: tokensPerSecond ?? Number.NaN,
      firstAt,
      endAt: performance.now(),
      completionTokens,
      text,
    }
  }
  throw new Error("The answer did not finish.")
}

interface Bare {
  process: ChildProcess
  measure(
    threads: number,
    streams: number,
    other?: Partial<Pick<BareRequest, "prompt" | "tokens">>,
  ): Promise<BareAnswer>
}

function startBare(modelPath: string): Bare {
  const child = fork(fileURLToPath(new URL("floors/bare-llama.ts", import.meta.url)), {
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  })
  return {
    process: child,
    async measure(threads, streams, other = {}) {
      child.send({ modelPath, prompt, threads, streams, tokens, ...other } satisfies BareRequest)
      const [answer] = (await once(child, "message")) as [BareAnswer]
      return answer
    },
  }
}

/** The fastest round; other work on the machine slowed down the others. */
function fastest(rounds: Rate[]): number {
  return Math.max(...rounds.map(getRate))
}

const getRate = ({ tokensPerSecond }: Rate): number => tokensPerSecond

function compareWithFloor(name: string, value: number, floor: number, share: number): BenchResult {
  return {
    name,
    value,
    unit: "tokens/s",
    floor,
    target: `≥${share * 100} % of the floor`,
    ok: value >= floor * share,
  }
}

function atMost(name: string, value: number, unit: string, limit: number): BenchResult {
  return { name, value, unit, target: `≤${limit}`, ok: value <= limit }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  printResults(await run())
