// Ingests documents of all formats with one box, and with three that share a database: node bench/ingestion-workers.ts [MB] It measures
// nothing without the collections next to the project. Needs Linux with `taskset`.
import { readdirSync, readFileSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import {
  type StartingBoxProcess,
  startTeamBoxes,
  waitUntilStandby,
  type TeamBoxes,
} from "../src/box/testing/box-process.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { printResults, type BenchResult } from "./result.ts"
import { corpusPath } from "./retrieval-corpus.ts"
import { variedDocuments, type VariedDocument } from "./varied-documents.ts"

const timeoutMs = 20 * 60_000
const pollIntervalMs = 500

interface Taken {
  seconds: number
  /** Processor time of the boxes and their children. */
  processorSeconds: number
  /** Share of that time spent by standby boxes. */
  workers: number
  failed: number
}

export async function run(megabytes = 20): Promise<BenchResult[]> {
  const model = corpusPath("models", "potion-base-2M-f16.gguf")
  if (model === undefined) return []
  const documents: VariedDocument[] = []
  for await (const document of variedDocuments(megabytes * 1e6)) documents.push(document)
  const alone = await ingest(documents, model, ["0"])
  const both = await ingest(documents, model, ["0,1"])
  const three = await ingest(documents, model, ["0,1", "0,1", "0,1"])
  const rate = ({ seconds }: Taken) => documents.length / seconds
  const gets = three.processorSeconds / three.seconds
  const scale = rate(three) / (rate(alone) / (alone.processorSeconds / alone.seconds)) / gets
  return [
    { name: "documents", value: documents.length, unit: "" },
    { name: "one box, one core", value: rate(alone), unit: "/s" },
    { name: "one box, two cores", value: rate(both), unit: "/s" },
    { name: "three boxes, two cores", value: rate(three), unit: "/s" },
    { name: "cores that three boxes got", value: gets, unit: "" },
    { name: "… of them those that wait", value: three.workers * gets, unit: "" },
    { name: "work for each core, against one box", value: scale, unit: "", target: "≥0.9", ok: scale >= 0.9 },
    {
      name: "failed with three, beyond one",
      value: three.failed - alone.failed,
      unit: "",
      target: "0",
      ok: three.failed === alone.failed,
    },
  ]
}

/** Time from the first upload until everything is indexed, with one box for each set of cores. */
async function ingest(
  documents: readonly VariedDocument[],
  model: string,
  cores: readonly string[],
): Promise<Taken> {
  await using team = await startTeamBoxes()
  const begin = (at: number): StartingBoxProcess => {
    const box = team.begin(String(at), {}, ["--embedding-model", model])
    spawnSync("taskset", ["-a", "-p", "-c", cores[at] ?? "", String(box.child.pid)])
    return box
  }
  const running = begin(0)
  const { url, firstRunKey = "" } = await running.ready
  const waiting = cores.slice(1).map((_, at) => begin(at + 1))
  for (const box of waiting) await waitUntilStandby(box)
  await wait(3 * pollIntervalMs) // the standby boxes offer to work
  const boxes = [running, ...waiting]
  const client = createClient({ baseUrl: url, headers: { "x-api-key": firstRunKey } })
  const { id } = (await client.folders.create({ body: { name: "Bench" } })).vector
  await client.folders.update({ params: { id }, body: { paused: true } })
  for (const { name, bytes } of documents)
    await client.files.upload({ params: { id }, file: new Blob([new Uint8Array(bytes)]), fileName: name })
  const before = boxes.map(({ child }) => processorSeconds(child.pid ?? 0))
  const began = performance.now()
  await client.folders.update({ params: { id }, body: { paused: false } })
  while ((await count(team, "'queued', 'processing'")) > 0) {
    if (performance.now() - began > timeoutMs) throw new Error("It takes too long.")
    await wait(pollIntervalMs)
  }
  const seconds = (performance.now() - began) / 1000
  const spent = boxes.map(({ child }, at) => processorSeconds(child.pid ?? 0) - (before[at] ?? 0))
  const all = spent.reduce((sum, each) => sum + each, 0)
  const failed = await count(team, "'failed'")
  return { seconds, processorSeconds: all, workers: 1 - (spent[0] ?? 0) / all, failed }
}

/** Number of files in one of these states. */
async function count(team: TeamBoxes, states: string): Promise<number> {
  const [row] = await team.asked(`SELECT count(*) FROM files WHERE status IN (${states})`)
  return Number(row?.["count"])
}

/** Processor time of a process and all its children, including those that ended. */
function processorSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    const own = fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0) / 100
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    )
    return children.reduce((sum, child) => sum + processorSeconds(Number(child)), own)
  } catch {
    return 0 // the process has just ended
  }
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 20)))
