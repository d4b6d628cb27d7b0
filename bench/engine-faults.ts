// Crashes the engine 100 times and stops 500 answers halfway, through the box. Measures what breaks and how soon it works again.
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { childPath } from "../src/box/core/children/child.ts"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import type { ChatEvent } from "../src/shared/contract/chat.ts"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { atMost, startWatchedBox, type WatchedBox } from "./watched-box.ts"

const crashes = 100
const stops = 500
const concurrency = 4
const signals = ["SIGSEGV", "SIGABRT", "SIGKILL"] as const

/** Asks a question, calls back at the first text, and returns the last two events. */
async function ask(
  client: Client,
  boxAddress: string,
  { id, content, onFirstText }: { id: string; content: string; onFirstText?: () => unknown },
): Promise<ChatEvent[]> {
  let events: ChatEvent[] = []
  let text = false
  const messages = [{ role: "user" as const, content }]
  for await (const event of client.chat.send({ body: { id, messages, boxAddress } })) {
    events = [...events.slice(-1), event]
    if (event.type !== "text-delta" || text) continue
    text = true
    await onFirstText?.()
  }
  return events
}

/** The box's processes that have a model loaded. */
const engines = (box: WatchedBox) =>
  box.children().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(childPath("engine"))
    } catch {
      return false // the process has ended
    }
  })

async function crash(box: WatchedBox, client: Client): Promise<BenchResult[]> {
  const back: number[] = []
  let typed = 0
  for (let index = 0; index < crashes; index++) {
    const signal = signals[index % signals.length] ?? "SIGKILL"
    let killed = 0
    const kill = () => {
      killed = performance.now()
      for (const pid of engines(box)) process.kill(pid, signal)
    }
    const ending = await ask(client, box.url, { id: `crash-${index}`, content: "Go on!", onFirstText: kill })
    const [error, finish] = ending
    if (error?.type === "error" && error.code === "engine_crashed" && finish?.type === "finish") typed++
    await ask(client, box.url, { id: `after-${index}`, content: "Greet me." })
    back.push(performance.now() - killed)
  }
  return [
    {
      name: "engine crashes: streams with a typed error and an end",
      value: typed,
      unit: `of ${crashes}`,
      target: String(crashes),
      ok: typed === crashes,
    },
    atMost("engine crashes: crash to the end of the next answer, longest", Math.max(...back) / 1000, "s", 10),
    { name: "engine crashes: the same, median", value: percentile(back, 0.5) / 1000, unit: "s" },
  ]
}

async function stop(box: WatchedBox, client: Client): Promise<BenchResult[]> {
  const times: number[] = []
  let aborted = 0
  const worker = async (worker: number) => {
    for (let index = 0; index < stops / concurrency; index++) {
      const id = `stop-${worker}-${index}`
      let asked = 0
      const onFirstText = () => {
        asked = performance.now()
        return client.chat.stop({ params: { chatId: id } }).catch(() => undefined) // a late stop shows in the times
      }
      const [, finish] = await ask(client, box.url, { id, content: "Go on!", onFirstText })
      times.push(performance.now() - asked)
      if (finish?.type === "finish" && finish.finishReason === "aborted") aborted++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, (_, index) => worker(index)))
  // These would wait for ever if a slot had leaked.
  const after = await Promise.all(
    Array.from({ length: concurrency * 2 }, (_, index) =>
      ask(client, box.url, { id: `free-${index}`, content: "Greet me." }),
    ),
  )
  const whole = after.filter(
    ([, finish]) => finish?.type === "finish" && finish.finishReason === "stop",
  ).length
  return [
    {
      name: "stops: streams that end as stopped",
      value: aborted,
      unit: `of ${stops}`,
      target: String(stops),
      ok: aborted === stops,
    },
    atMost("stops: stop to the stream's stored end, longest", Math.max(...times), "ms", 1_000),
    { name: "stops: the same, p99", value: percentile(times, 0.99), unit: "ms" },
    {
      name: "stops: answers afterwards, all at once",
      value: whole,
      unit: `of ${concurrency * 2}`,
      target: String(concurrency * 2),
      ok: whole === concurrency * 2,
    },
  ]
}

export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bench-"))
  const box = await startWatchedBox(dataDir, "--model", ensureTestModel())
  try {
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
    await ask(client, box.url, { id: "first", content: "Greet me." })
    const stopped = await stop(box, client)
    return [...stopped, ...(await crash(box, client))]
  } finally {
    await box.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
