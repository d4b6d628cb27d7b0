// Lists and searches of a single box, and of boxes that share a database, through the active box and through a standby: node
// bench/team-latency.ts [passages]
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { spawnBoxProcess, startTeamBoxes, waitUntilStandby } from "../src/box/testing/box-process.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { elapsed, percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { sequence, spell } from "./made-up-words.ts"

const passagesPerFile = 500
const wordsPerPassage = 120
const questions = 400
const settleMs = 15_000
const timeoutMs = 30 * 60_000
/** Maximum multiple of a single box's values. */
const most = 2
const vocabulary = Array.from({ length: 30_000 }, (_, index) => spell(index + 7))

interface Latencies {
  list: number
  files: number
  search: number
}

/** Addresses for requests to the active box: its own first, then those of others that forward them. */
interface Asked {
  addresses: string[]
  key: string
}

export async function run(passages = 100_000): Promise<BenchResult[]> {
  const alone = (await measure(passages, startSingle))[0]
  const [direct, passedOn] = await measure(passages, startTeam)
  if (!alone || !direct || !passedOn) throw new Error("Nothing was measured.")
  const named = { list: "a list of folders", files: "a list of 100 files", search: "a search by words" }
  return Object.entries(named).flatMap(([key, name]) => {
    const of = (latencies: Latencies) => latencies[key as keyof Latencies]
    const told = (where: string, value: number) => ({
      name: `${name}, p95, ${where}`,
      value,
      unit: "ms",
      floor: of(alone),
      target: `≤${most} ×`,
      ok: value <= most * of(alone),
    })
    return [
      { name: `${name}, p95, on its own`, value: of(alone), unit: "ms" },
      told("the running one of three", of(direct)),
      told("one that waits", of(passedOn)),
    ]
  })
}

type StartBoxes = (stack: AsyncDisposableStack) => Promise<Asked>

const startSingle: StartBoxes = async (stack) => {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-team-latency-"))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const { url, firstRunKey = "", stop } = await spawnBoxProcess(directory, []).ready
  stack.defer(async () => void (await stop("SIGKILL")))
  return { addresses: [url], key: firstRunKey }
}

const startTeam: StartBoxes = async (stack) => {
  const team = stack.use(await startTeamBoxes())
  const { url, firstRunKey = "" } = await team.begin("first").ready
  const [second] = [team.begin("second"), team.begin("third")]
  return { addresses: [url, (await waitUntilStandby(second)).url], key: firstRunKey }
}

async function measure(passages: number, begin: StartBoxes): Promise<Latencies[]> {
  await using stack = new AsyncDisposableStack()
  const { addresses, key } = await begin(stack)
  const clients = addresses.map((baseUrl) => createClient({ baseUrl, headers: { "x-api-key": key } }))
  const [client] = clients
  if (!client) throw new Error("There is no box.")
  const random = sequence(7)
  const words = (count: number) =>
    Array.from({ length: count }, () => vocabulary[Math.floor(random() ** 3 * vocabulary.length)]).join(" ")
  const { id } = (await client.folders.create({ body: { name: "Bench" } })).vector
  for (let done = 0; done < passages; done += passagesPerFile) {
    const text = Array.from({ length: passagesPerFile }, () => words(wordsPerPassage)).join("\n\n")
    await client.files.upload({ params: { id }, file: new Blob([text]), fileName: `${done}.md` })
  }
  const began = performance.now()
  for (const status of ["queued", "processing"] as const) {
    while ((await client.files.list({ params: { id }, query: { status, limit: 1 } })).total > 0) {
      if (performance.now() - began > timeoutMs) throw new Error("It takes too long.")
      await wait(500)
    }
  }
  await wait(settleMs)
  const latencies: Latencies[] = []
  for (const asked of clients) {
    const each = async (ask: () => Promise<unknown>) => {
      const took: number[] = []
      for (let count = 0; count < questions; count++) took.push(await elapsed(ask))
      return percentile(took.slice(questions / 10), 0.95)
    }
    latencies.push({
      list: await each(() => asked.folders.list({ query: {} })),
      files: await each(() => asked.files.list({ params: { id }, query: { limit: 100 } })),
      search: await each(() => asked.folders.search({ body: { query: words(4), vector: [id] } })),
    })
  }
  return latencies
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 100_000)))
