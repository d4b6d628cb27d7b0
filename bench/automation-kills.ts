// Runs automations while their built box is killed. Files, webhook calls, scheduled times and approvals are counted outside the box: node
// bench/automation-kills.ts [kills]
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import type { Run } from "../src/shared/contract/automations.ts"
import { spawnBoxProcess } from "../src/box/testing/box-process.ts"
import {
  startModelServer,
  type ModelRequest,
  type Round,
} from "../src/box/testing/model-servers/model-server.ts"
import { printResults, type BenchResult } from "./result.ts"

const minLifeMs = 300
const maxLifeMs = 1_800
const causeEveryMs = 400
const timeoutMs = 300_000
const minuteMs = 60_000
const asks = "Remember"

/** Acknowledged events, kept outside the box. */
interface Ledger {
  files: Set<string>
  hooks: Set<string>
  /** Number of times the model received each question. */
  asked: Map<string, number>
}

export async function run(kills = 300): Promise<BenchResult[]> {
  const ledger: Ledger = { files: new Set(), hooks: new Set(), asked: new Map() }
  await using model = await startModelServer((request) => answerTo(request, ledger))
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-automations-"))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const start = () => spawnBoxProcess(directory, ["--model", model.baseUrl]).ready
  const first = await start()
  const key = first.firstRunKey ?? ""
  const createBoxClient = (baseUrl: string) => createClient({ baseUrl, headers: { "x-api-key": key } })
  const made = await make(createBoxClient(first.url))
  const firstMinute = Math.floor(Date.now() / minuteMs) + 1
  await first.stop("SIGKILL")

  let number = 0
  for (let kill = 0; kill < kills; kill++) {
    const box = await start()
    const client = createBoxClient(box.url)
    const until = performance.now() + minLifeMs + Math.random() * (maxLifeMs - minLifeMs)
    const killed = wait(until - performance.now()).then(() => box.stop("SIGKILL"))
    while (performance.now() < until) {
      await Promise.allSettled([cause(client, made, ledger, box.url, ++number), decide(client, made.asking)])
      await wait(causeEveryMs)
    }
    await killed
  }
  const last = await start()
  stack.defer(async () => void (await last.stop()))
  const client = createBoxClient(last.url)
  const runs = await waitUntilAllEnded(client, made)
  const lastMinute = Math.floor(Date.now() / minuteMs)
  return count(kills, ledger, runs, firstMinute, lastMinute)
}

interface Made {
  folder: string
  file: string
  hook: string
  token: string
  asking: string
  schedule: string
}

async function make(client: Client): Promise<Made> {
  const { vector } = await client.folders.create({ body: { name: "Invoices" } })
  const { assistant } = await client.assistants.create({
    body: { name: "Clerk", permissionMode: "ask", builtInTools: { memory: true } },
  })
  const budget = { minutes: 30, runsPerDay: 1_000 }
  const create = async (body: Parameters<Client["automations"]["create"]>[0]["body"]) =>
    client.automations.create({ body: { budget, notify: "never", ...body } })
  const trigger = { kind: "file", vectorId: vector.id } as const
  const file = await create({ name: "File", prompt: "Read {{file.id}}.", trigger })
  const hook = await create({ name: "Hook", prompt: "Sum up {{input}}.", trigger: { kind: "hook" } })
  const asking = await create({
    name: "Asking",
    prompt: `${asks} {{file.id}}.`,
    assistantId: assistant.id,
    trigger: { ...trigger, match: "*0.txt" },
  })
  const every = { kind: "schedule", cron: "* * * * *", timeZone: "UTC" } as const
  const schedule = await create({ name: "Minute", prompt: "What time is it?", trigger: every })
  return {
    folder: vector.id,
    file: file.automation.id,
    hook: hook.automation.id,
    token: hook.hook?.token ?? "",
    asking: asking.automation.id,
    schedule: schedule.automation.id,
  }
}

/** Writes a file and calls the webhook, and records in the ledger what was acknowledged. */
async function cause(client: Client, made: Made, ledger: Ledger, url: string, number: number): Promise<void> {
  await Promise.allSettled([
    client.files
      .upload({ params: { id: made.folder }, file: new Blob([`File ${number}`]), fileName: `${number}.txt` })
      .then(({ files }) => ledger.files.add(files[0]?.id ?? "")),
    fetch(`${url}/api/hooks/${made.token}`, { method: "POST", body: `call ${number}` }).then(
      async (answer) => {
        const { run } = (await answer.json()) as { run?: Run }
        if (answer.status === 202 && run?.status === "queued") ledger.hooks.add(run.id)
      },
    ),
  ])
}

/** Approves every pending call. */
async function decide(client: Client, automation: string): Promise<void> {
  const { runs } = await client.automations.runs({ params: { id: automation }, query: { limit: 20 } })
  for (const { chatId, status } of runs) {
    if (chatId === null || status !== "waiting") continue
    const { approvals } = await client.chat.approvals({ params: { chatId } })
    for (const { toolCallId } of approvals)
      await client.chat.approve({ params: { chatId, toolCallId }, body: { decision: "allow" } })
  }
}

function answerTo({ messages }: ModelRequest, ledger: Ledger): Round {
  const last = messages.at(-1)
  if (last?.role === "tool") return { text: "Done." }
  const question = last?.content ?? ""
  ledger.asked.set(question, (ledger.asked.get(question) ?? 0) + 1)
  if (!question.startsWith(asks)) return { text: slowly() }
  return { calls: [{ name: "memory", args: { action: "remember", text: question.slice(asks.length) } }] }
}

async function* slowly(): AsyncGenerator<string> {
  for (let word = 0; word < 10; word++) {
    yield `word${word} `
    await wait(20)
  }
}

type Runs = Record<"file" | "hook" | "asking" | "schedule", Run[]>

async function waitUntilAllEnded(client: Client, made: Made): Promise<Runs> {
  const began = performance.now()
  const open = async (id: string) => {
    const all: Run[] = []
    for (;;) {
      const { runs } = await client.automations.runs({
        params: { id },
        query: { limit: 200, offset: all.length },
      })
      all.push(...runs)
      if (runs.length < 200) return all
    }
  }
  for (;;) {
    await decide(client, made.asking)
    const { total } = await client.files.list({
      params: { id: made.folder },
      query: { limit: 1, status: "completed" },
    })
    const all = (await client.files.list({ params: { id: made.folder }, query: { limit: 1 } })).total
    const runs = {
      file: await open(made.file),
      hook: await open(made.hook),
      asking: await open(made.asking),
      schedule: await open(made.schedule),
    }
    const isOpen = ({ status }: Run) => ["queued", "running", "waiting"].includes(status)
    if (total === all && !Object.values(runs).flat().some(isOpen)) return runs
    if (performance.now() - began > timeoutMs) throw new Error("Some runs don't end.")
    await wait(1_000)
  }
}

function count(
  kills: number,
  ledger: Ledger,
  runs: Runs,
  firstMinute: number,
  lastMinute: number,
): BenchResult[] {
  const all = Object.values(runs).flat()
  const causes = all.map(({ automationId, cause, id }) =>
    JSON.stringify([automationId, cause.kind === "hook" || cause.kind === "manual" ? id : cause]),
  )
  const doubled = causes.length - new Set(causes).size
  const runFileIds = new Set(runs.file.map(({ cause }) => (cause.kind === "file" ? cause.fileId : "")))
  const hookRunIds = new Set(runs.hook.map(({ id }) => id))
  const times = new Set(
    runs.schedule.map(({ cause }) => (cause.kind === "schedule" ? Date.parse(cause.at) : 0)),
  )
  const lostFiles = [...ledger.files].filter((id) => !runFileIds.has(id)).length
  const lostHooks = [...ledger.hooks].filter((id) => !hookRunIds.has(id)).length
  let lostTimes = 0
  for (let minute = firstMinute; minute <= lastMinute; minute++)
    if (!times.has(minute * minuteMs)) lostTimes++
  const bad = all.filter(({ status }) => status !== "completed")
  for (const { id, status, attempt, error } of bad)
    process.stderr.write(`${id} ${status} at attempt ${attempt}: ${error?.error ?? ""}\n`)
  const tooOften = runs.file.filter(({ cause, attempt }) => {
    const question = cause.kind === "file" ? `Read ${cause.fileId}.` : ""
    return (ledger.asked.get(question) ?? 0) > attempt
  }).length
  const none = (name: string, value: number): BenchResult => ({
    name,
    value,
    unit: "",
    target: "0",
    ok: value === 0,
  })
  return [
    { name: "boxes killed", value: kills, unit: "" },
    { name: "runs", value: all.length, unit: "" },
    { name: "… that asked for an approval", value: runs.asking.length, unit: "" },
    {
      name: "… that were cut and asked once more",
      value: all.filter(({ attempt }) => attempt > 1).length,
      unit: "",
    },
    none("doubled", doubled),
    none("files without a run", lostFiles),
    none("calls of the hook without a run", lostHooks),
    none("minutes without a run", lostTimes),
    none("runs that didn't complete", bad.length),
    none("runs that asked the model more often than they were tried", tooOften),
  ]
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 300)))
