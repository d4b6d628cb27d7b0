// Two local models side by side, and the memory they leave after they are unloaded: node bench/model-switch.ts
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { buildRandomModel } from "../src/box/engines/llama/testing/random-model.ts"
import { median } from "./measure.ts"
import { endProcess, residentMb, startBuiltBox, type Started } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"
import { atMost } from "./watched-box.ts"

const names = ["one", "two"] as const
const rounds = 30
/** Time without a question after which a box is idle and has released its memory. */
const restMs = 240_000
const unloadTimeoutMs = 60_000
const maxSwitchMs = 50
const maxLeftMb = 20

export async function run(): Promise<BenchResult[]> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "bench-model-switch-"))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const box = await startBuiltBox(join(directory, "with models"))
  stack.defer(() => endProcess(box))
  const models = join(directory, "with models", "models")
  await mkdir(models, { recursive: true })
  for (const name of names) await copyFile(randomModel(), join(models, `${name}.gguf`))
  const bare = await startBuiltBox(join(directory, "without"))
  stack.defer(() => endProcess(bare))

  const call = createCall(box)
  const [one, two] = names
  const ask = async (model: string) => {
    const startedAt = performance.now()
    const messages = [{ role: "user", content: "Say something." }]
    await call("POST", "/api/v1/chat/completions", { model, messages, max_tokens: 1 })
    return performance.now() - startedAt
  }
  for (const model of [one, two, one, two]) await ask(model) // loads the models and chooses how many threads they use
  const [again, switched]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const model = round % 2 === 0 ? one : two
    switched.push(await ask(model))
    again.push(await ask(model))
  }

  const listed = (await call("GET", "/api/public/models")) as { models: { id: string }[] }
  for (const { id } of listed.models)
    await call("PATCH", `/api/public/models/${id}/options`, { unloadAfterMinutes: 0 })
  for (const model of [one, two]) await ask(model)
  await childless(box)
  await call("GET", "/api/public/vectors")
  await createCall(bare)("GET", "/api/public/vectors")
  await wait(restMs)
  const left = residentMb(box.pid) - residentMb(bare.pid)
  return [
    {
      name: "answer of one token, same model as before",
      value: median(again),
      unit: "ms",
    },
    {
      ...atMost(
        "… switching between two that are loaded adds",
        median(switched) - median(again),
        "ms",
        maxSwitchMs,
      ),
      floor: median(again),
    },
    {
      ...atMost("memory after both were unloaded, beside a box without models", left, "MB", maxLeftMb),
      floor: residentMb(bare.pid),
    },
  ]
}

function randomModel(): string {
  const directory = join(tmpdir(), "casella-bench")
  mkdirSync(directory, { recursive: true })
  const path = join(directory, "random-243m.gguf")
  if (!existsSync(path)) buildRandomModel(path)
  return path
}

/** Waits until the processes of its models have ended. */
async function childless({ pid }: Started): Promise<void> {
  const until = performance.now() + unloadTimeoutMs
  while (readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim() !== "") {
    if (performance.now() > until) throw new Error("The models weren't unloaded.")
    await wait(100)
  }
}

function createCall({ ready }: Started) {
  const headers = { "x-api-key": ready["firstRunKey"] ?? "", "content-type": "application/json" }
  return async (method: string, path: string, body?: object): Promise<unknown> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${ready["url"] ?? ""}${path}`, { method, headers, ...sent })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
