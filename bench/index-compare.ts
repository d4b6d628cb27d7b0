// Cost for all other work while the box compares index and database after a crash: node bench/index-compare.ts [passages]
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as pause } from "node:timers/promises"
import { newId } from "../src/box/core/ids.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { openPassageIndex, type PassageRecord } from "../src/box/engines/vectors/passage-index.ts"
import { median } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"

const passagesPerRead = 500
/** Only ids are compared, so the texts are short. */
const texts = ["rain in the harbour", "a letter to the owner", "the price of copper"]
const comparisons = 5
const pollMs = 50
const maxPauseMs = 50

export async function run(count = 300_000): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-index-compare-"))
  try {
    const folder = newId()
    const stored = Array.from({ length: count }, (_, place): PassageRecord => {
      return { id: newId(), fileId: folder, vectorId: folder, text: texts[place % texts.length] ?? "" }
    })
    async function* passages() {
      for (let from = 0; from < count; from += passagesPerRead)
        yield Promise.resolve(stored.slice(from, from + passagesPerRead))
    }
    const open = () => openPassageIndex({ directory, passages, logger: silentLogger })
    await writeIndex(await open())
    const compared: Comparison[] = []
    for (let round = 0; round < comparisons; round++) {
      await forgetCleanEnd(join(directory, "index.json"))
      compared.push(await compare(open))
    }
    const busyMs = median(compared.map((one) => one.busyMs))
    return [
      {
        name: `comparing ${count} passages: most processor time without a turn, median of ${comparisons}`,
        value: busyMs,
        unit: "ms",
        target: `≤${maxPauseMs}`,
        ok: busyMs <= maxPauseMs,
      },
      {
        name: "… longest pause, least of these",
        value: Math.min(...compared.map((one) => one.pauseMs)),
        unit: "ms",
      },
      { name: "… processor time", value: median(compared.map((one) => one.seconds)), unit: "s" },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

type Index = Awaited<ReturnType<typeof openPassageIndex>>

/** Opening an index for the first time writes it. */
async function writeIndex(opened: Index): Promise<void> {
  await using index = opened
  await ready(index)
}

interface Comparison {
  /** Maximum delay of a timer, including time taken by other programs. */
  pauseMs: number
  /** Maximum processor time of the main thread between two turns of the event loop. */
  busyMs: number
  /** Processor time of all threads. */
  seconds: number
}

async function compare(open: () => Promise<Index>): Promise<Comparison> {
  await using index = await open()
  const used = process.cpuUsage()
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let busyMs = 0
  for (let before = threadMs(); index.state.status !== "ready"; before = threadMs()) {
    await pause(1)
    busyMs = Math.max(busyMs, threadMs() - before)
  }
  delay.disable()
  const { user, system } = process.cpuUsage(used)
  return { pauseMs: delay.max / 1e6, busyMs, seconds: (user + system) / 1e6 }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1e3
}

async function ready(index: Index): Promise<void> {
  while (index.state.status !== "ready") await pause(pollMs)
}

async function forgetCleanEnd(path: string): Promise<void> {
  const described = JSON.parse(await readFile(path, "utf8")) as object
  await writeFile(path, JSON.stringify({ ...described, clean: false }))
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 300_000)))
