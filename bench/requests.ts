// Cost of hot paths: requests per second over 16 connections and the server's processor time. They are compared with a prepared answer,
// sent by the box's stack and by node:http alone (floors/same-stack.ts).
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { getMany } from "./get-many.ts"
import { elapsed, median } from "./measure.ts"
import { endProcess, processorMs, startBuiltBox, startProcess, type Started } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const sameStack = fileURLToPath(new URL("floors/same-stack.ts", import.meta.url))
const requests = 1_600
const rounds = 5
const rows = 50

interface Path {
  name: string
  url: string
  key: string
  server: Started
}

/** Medians over all rounds; the paths alternate in each. */
async function measure(paths: readonly Path[]): Promise<{ rate: number; ms: number }[]> {
  const runs = paths.map(() => ({ rates: [] as number[], costs: [] as number[] }))
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { url, key, server }] of paths.entries()) {
      const before = processorMs(server.pid)
      const ms = await elapsed(() => getMany(url, { "x-api-key": key }, requests))
      if (round === 0) continue // the first round warms up
      runs[index]?.rates.push((requests / ms) * 1000)
      runs[index]?.costs.push((processorMs(server.pid) - before) / requests)
    }
  }
  return runs.map(({ rates, costs }) => ({ rate: median(rates), ms: median(costs) }))
}

/** Creates fifty folders, fifty notifications and a chat of fifty messages; returns the addresses that list them. */
async function fill(box: Started): Promise<Path[]> {
  const { url = "", firstRunKey: key = "" } = box.ready
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
  const box = await startBuiltBox(join(directory, "box"))
  stack.defer(() => endProcess(box))
  const paths = await fill(box)
  const headers = { "x-api-key": box.ready["firstRunKey"] ?? "" }
  const answer = await fetch(paths[0]?.url ?? "", { headers })
  await writeFile(join(directory, "answer"), await answer.text())
  const floor = await startProcess(sameStack, join(directory, "floor"), join(directory, "answer"))
  stack.defer(() => endProcess(floor))
  const { url = "", bare = "", key = "" } = floor.ready
  const floors = [
    { name: "value", url: `${url}/value`, key, server: floor },
    { name: "bytes", url: `${url}/bytes`, key, server: floor },
    { name: "bare", url: bare, key, server: floor },
  ]
  const [list, ...others] = await measure([...paths, ...floors])
  const [value, bytes, nothing] = others.splice(-floors.length)
  if (!list || !value || !bytes || !nothing) throw new Error("Nothing was measured.")

  const rate = (of: string, against: number) =>
    ({
      name: `list of 50 folders, floor ${of}`,
      value: list.rate,
      unit: "requests/s",
      floor: against,
    }) as const
  const cost = (of: string, against: number) =>
    ({
      name: `list of 50 folders, processor time, floor ${of}`,
      value: list.ms,
      unit: "ms",
      floor: against,
    }) as const
  return [
    rate("Express with a value", value.rate),
    {
      ...rate("Express with fixed bytes", bytes.rate),
      target: "≥35 % of it",
      ok: list.rate >= 0.35 * bytes.rate,
    },
    rate("node:http with fixed bytes", nothing.rate),
    cost("Express with a value", value.ms),
    cost("Express with fixed bytes", bytes.ms),
    cost("node:http with fixed bytes", nothing.ms),
    ...others.flatMap(({ ms }, index) => {
      const name = `${paths[index + 1]?.name ?? ""}, processor time`
      return { name, value: ms, unit: "ms", floor: nothing.ms }
    }),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
