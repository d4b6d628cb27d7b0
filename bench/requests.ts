// What hot paths cost: requests per second over 16 connections and the server's processor time, beside an answer that is ready,
// sent by the box's own stack and by nothing but node:http (floors/same-stack.ts).
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { elapsed, median } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"

const cli = fileURLToPath(new URL("../out/main/cli.js", import.meta.url))
const sameStack = fileURLToPath(new URL("floors/same-stack.ts", import.meta.url))
const requests = 1_600
const rounds = 5
const connections = 16
const rows = 50

interface Started {
  child: ChildProcess
  said: Record<string, string>
}

async function start(...args: string[]): Promise<Started> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  return { child, said: JSON.parse(line.toString()) as Record<string, string> }
}

async function stop({ child }: Started): Promise<void> {
  const exited = once(child, "exit")
  child.kill()
  await exited
}

/** Processor time that a process took so far, in ms (Linux, whose clock for it ticks a hundred times a second). */
function processorMs({ child }: Started): number {
  const fields =
    readFileSync(`/proc/${String(child.pid)}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** GETs one address many times over kept-alive connections. */
async function load(url: string, key: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const get = () =>
    new Promise<void>((resolve, reject) => {
      request(url, { agent, headers: { "x-api-key": key } }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${url} answered ${String(answer.statusCode)}`))
        answer.resume().on("end", () => resolve())
      })
        .on("error", reject)
        .end()
    })
  const worker = async () => {
    for (let index = 0; index < count / connections; index++) await get()
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}

interface Path {
  name: string
  url: string
  key: string
  server: Started
}

/** Medians of all rounds, in which the paths take turns. */
async function measure(paths: readonly Path[]): Promise<{ rate: number; ms: number }[]> {
  const runs = paths.map(() => ({ rates: [] as number[], costs: [] as number[] }))
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { url, key, server }] of paths.entries()) {
      const before = processorMs(server)
      const ms = await elapsed(() => load(url, key, requests))
      if (round === 0) continue // until everything is compiled
      runs[index]?.rates.push((requests / ms) * 1000)
      runs[index]?.costs.push((processorMs(server) - before) / requests)
    }
  }
  return runs.map(({ rates, costs }) => ({ rate: median(rates), ms: median(costs) }))
}

/** Fifty folders, fifty notifications and a chat of fifty messages; answers the addresses that list them. */
async function fill(box: Started): Promise<Path[]> {
  const { url = "", firstRunKey: key = "" } = box.said
  async function post(path: string, body: unknown): Promise<string> {
    const headers = { "x-api-key": key, "content-type": "application/json" }
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return answer.text()
  }
  let folder = ""
  for (let index = 0; index < rows; index++) {
    const made = await post("/api/public/vectors", { name: `Folder ${String(index)}` })
    folder = (JSON.parse(made) as { vector: { id: string } }).vector.id
    await post("/api/public/notifications", { title: `Job ${String(index)}`, description: "It is done." })
  }
  for (let index = 0; index < rows / 2; index++) {
    const messages = [{ role: "user", content: `Question ${String(index)}` }]
    await post("/api/ai/chat", { id: "chat", boxAddress: url, vector: [folder], messages })
  }
  const path = (name: string, address: string) => ({ name, url: url + address, key, server: box })
  return [
    path(`list of ${String(rows)} folders`, "/api/public/vectors"),
    path(`list of ${String(rows)} notifications`, `/api/public/notifications?limit=${String(rows)}`),
    path(`chat of ${String(rows)} messages`, "/api/public/chats/chat"),
    path("health", "/api/health"),
  ]
}

export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-"))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const box = await start(cli, "--port", "0", "--data", join(directory, "box"))
  stack.defer(() => stop(box))
  const paths = await fill(box)
  const headers = { "x-api-key": box.said["firstRunKey"] ?? "" }
  const answer = await fetch(paths[0]?.url ?? "", { headers })
  await writeFile(join(directory, "answer"), await answer.text())
  const floor = await start(sameStack, join(directory, "floor"), join(directory, "answer"))
  stack.defer(() => stop(floor))
  const { url = "", bare = "", key = "" } = floor.said
  const floors = [
    { name: "value", url: `${url}/value`, key, server: floor },
    { name: "bytes", url: `${url}/bytes`, key, server: floor },
    { name: "bare", url: bare, key, server: floor },
  ]
  const [list, ...others] = await measure([...paths, ...floors])
  const [value, bytes, nothing] = others.splice(-floors.length)
  if (!list || !value || !bytes || !nothing) throw new Error("Nothing was measured.")

  const share = list.rate / value.rate
  const rate = (of: string, against: number) =>
    ({
      name: `list of 50 folders, beside ${of}`,
      value: list.rate,
      unit: "requests/s",
      floor: against,
    }) as const
  const cost = (of: string, against: number) =>
    ({ name: `… processor time, beside ${of}`, value: list.ms, unit: "ms", floor: against }) as const
  return [
    {
      ...rate("a ready answer through the same stack", value.rate),
      target: "≥35 % of it",
      ok: share >= 0.35,
    },
    rate("fixed bytes through the same stack", bytes.rate),
    rate("fixed bytes of bare node:http", nothing.rate),
    cost("a ready answer through the same stack", value.ms),
    cost("fixed bytes through the same stack", bytes.ms),
    cost("fixed bytes of bare node:http", nothing.ms),
    ...others.flatMap(({ ms }, index) => {
      const name = `${paths[index + 1]?.name ?? ""}, processor time`
      return { name, value: ms, unit: "ms", floor: nothing.ms }
    }),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
