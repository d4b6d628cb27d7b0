// Measures the cost of a thousand automations in an idle box, and how soon a file's run starts: node bench/automations.ts [minutes]
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import type { AutomationDraft } from "../src/shared/contract/automations.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { percentile } from "./measure.ts"
import { endProcess, processorMs, residentMb, startBuiltBox, type Started } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const automations = 1_000
const minuteMs = 60_000
const files = 40
const timeoutMs = 60_000

export async function run(minutes = 4): Promise<BenchResult[]> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-automations-"))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const begin = (name: string) => startBuiltBox(join(directory, name))
  const key = new Map<string, string>()
  for (const name of ["none", "many"]) {
    const box = await begin(name)
    key.set(name, box.ready.firstRunKey ?? "")
    if (name === "many") await fill(createBoxClient(box, key.get(name)))
    await endProcess(box)
  }
  const [none, many] = [await begin("none"), await begin("many")]
  for (const box of [none, many]) stack.defer(() => endProcess(box))
  await wait((minutes - 1) * minuteMs)
  const before = [none, many].map(({ pid }) => processorMs(pid))
  await wait(minuteMs)
  const [spentByNone = 0, spentByMany = 0] = [none, many].map(
    ({ pid }, at) => processorMs(pid) - (before[at] ?? 0),
  )
  const share = ((spentByMany - spentByNone) / minuteMs) * 100
  const more = residentMb(many.pid) - residentMb(none.pid)
  const started = await measureStartDelays(createBoxClient(many, key.get("many")))
  return [
    {
      name: `${automations} automations at rest, processor`,
      value: share,
      unit: "% of a core",
      target: "≤1",
      ok: share <= 1,
    },
    { name: "… memory", value: more, unit: "MB", target: "≤10", ok: more <= 10 },
    { name: "a file is indexed until its run begins, median", value: percentile(started, 0.5), unit: "ms" },
    {
      name: "… longest",
      value: Math.max(...started),
      unit: "ms",
      target: "≤1000",
      ok: Math.max(...started) <= 1_000,
    },
  ]
}

const createBoxClient = ({ ready: { url = "" } }: Started, key = "") =>
  createClient({ baseUrl: url, headers: { "x-api-key": key } })

async function fill(client: Client): Promise<void> {
  const { vector } = await client.folders.create({ body: { name: "Invoices" } })
  for (let number = 0; number < automations; number++) {
    const trigger: AutomationDraft["trigger"] =
      number % 10 === 0
        ? { kind: "file", vectorId: vector.id, match: `never-${number}.pdf`, on: ["added"] }
        : number % 10 === 1
          ? { kind: "hook" }
          : { kind: "schedule", cron: `${number % 60} ${number % 24} 1 1 *`, timeZone: "Europe/Rome" }
    await client.automations.create({ body: { name: `Automation ${number}`, prompt: "Look.", trigger } })
  }
}

/** Time from indexing a file to the start of its run, for several files in sequence. */
async function measureStartDelays(client: Client): Promise<number[]> {
  await using model = await startModelServer(() => ({ text: "Done." }))
  await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  const { models } = await client.models.list()
  const chosen = models.find(({ id }) => id.startsWith("srv_"))
  if (!chosen) throw new Error("There is no model.")
  const { vector } = await client.folders.create({ body: { name: "Inbox" } })
  const { automations: listed } = await client.automations.list({ query: { limit: 1 } })
  for (const { id } of listed) await client.automations.remove({ params: { id } }) // the maximum number of automations exists
  const trigger = { kind: "file", vectorId: vector.id } as const
  const { automation } = await client.automations.create({
    body: { name: "Reader", prompt: "Read {{file.name}}.", trigger, modelId: chosen.id, notify: "never" },
  })
  const took: number[] = []
  for (let number = 0; number < files; number++) {
    const file = new Blob([`File ${number}`])
    const receipt = await client.files.upload({ params: { id: vector.id }, file, fileName: `${number}.txt` })
    const params = { id: vector.id, fileId: receipt.files[0]?.id ?? "" }
    const until = performance.now() + timeoutMs
    for (;;) {
      const { runs } = await client.automations.runs({ params: { id: automation.id }, query: { limit: 1 } })
      const run = runs.find(({ cause }) => cause.kind === "file" && cause.fileId === params.fileId)
      if (run?.startedAt) {
        const { file: indexed } = await client.files.read({ params })
        took.push(Date.parse(run.startedAt) - Date.parse(indexed.updatedAt))
        break
      }
      if (performance.now() > until) throw new Error("A file's run doesn't begin.")
      await wait(20)
    }
  }
  return took
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 4)))
