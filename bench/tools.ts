// How long a user waits for a calculation, and for Python when its process is ready.
import { setTimeout as wait } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { spawnNodeChild } from "../src/box/core/children/child.ts"
import { createCalculate } from "../src/box/tools/calculate.ts"
import { createCodeInterpreter } from "../src/box/tools/code-interpreter.ts"
import type { Tool } from "../src/box/tools/tool.ts"
import { median } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"

const rounds = 5
/** The first calculations of a process take several times as long as later ones. */
const calculationRounds = 41
/** Time in which the next process becomes ready. */
const pauseMs = 6000

export async function run(): Promise<BenchResult[]> {
  await using calculate = createCalculate(spawnNodeChild)
  await using python = createCodeInterpreter({ spawn: spawnNodeChild, readableFiles: async () => [] })
  const start = await timed(calculate, { expression: "1 + 1" })
  const calculations = await repeat(calculationRounds, () =>
    timed(calculate, { expression: "sqrt(2) * 5 inch to cm" }),
  )
  const cold = await timed(python, { code: "1 + 1" })
  const warm = await repeat(rounds, async () => {
    await wait(pauseMs)
    return timed(python, { code: "import json\nprint(json.dumps([1]))" })
  })
  return [
    { name: "calculate, first run", value: start, unit: "ms" },
    { name: "calculate, round trip", value: median(calculations), unit: "ms" },
    { name: "Python, first run", value: cold, unit: "ms" },
    {
      name: "Python, process ready",
      value: median(warm),
      unit: "ms",
      target: "≤300",
      ok: median(warm) <= 300,
    },
  ]
}

async function timed(tool: Tool, args: unknown): Promise<number> {
  const { signal } = new AbortController()
  const started = performance.now()
  const staysHere = () => Promise.resolve(false)
  await tool.run(args, {
    userId: "",
    chatId: "",
    messageId: "bench",
    toolCallId: "",
    folderIds: [],
    generated: [],
    staysHere,
    signal,
  })
  return performance.now() - started
}

async function repeat(times: number, measure: () => Promise<number>): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < times; n++) all.push(await measure())
  return all
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
