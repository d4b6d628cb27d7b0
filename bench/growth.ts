// Costs of a box with 1, 10 and 100 times as much content: 200 chats, 500 files, 500 notifications, 5 folders; 20,000, 50,000, 50,000 and
// 500 at 100 times. `node bench/growth.ts` measures all three sizes and `node bench/growth.ts 100` only that one. `node bench/growth.ts 100
// DIRECTORY` keeps its data there and measures it again the next time (it deletes little). It needs the built box (`electron-vite build`).
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeGrown, startBuilt, getText, type GrownBox } from "./grown-box.ts"
import { median } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"

const sizes = [1, 10, 100]
const starts = 5
const repeated = 40
/** Maximum growth of costs that don't depend on the amount of content; deeper indexes and colder caches cost a little more. */
const maxGrowth = 1.5

/** Cost of one operation at a size, with its unit. */
interface Cost {
  value: number
  unit: "ms" | "MB"
  /** The work grows with the amount of content. */
  grows?: true
}
type Costs = Map<string, Cost>

export async function run(): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  let least: Costs | undefined
  for (const times of sizes) {
    const costs = await measureCosts(times)
    least ??= costs
    results.push(...getResults(times, costs, times === 1 ? undefined : least))
  }
  return results
}

/** The floor of each cost is its value at the smallest size. */
const getResults = (times: number, costs: Costs, least?: Costs): BenchResult[] =>
  [...costs].map(([name, { value, unit, grows }]) => {
    const floor = least?.get(name)?.value
    const result = { name: `${name}, ${String(times)}×`, value, unit }
    if (floor === undefined) return result
    if (grows) return { ...result, floor }
    return { ...result, floor, target: `≤${String(maxGrowth)}× of 1×`, ok: value <= floor * maxGrowth }
  })

async function measureCosts(times: number, kept?: string): Promise<Costs> {
  const directory = kept ?? (await mkdtemp(join(tmpdir(), "casella-bench-")))
  try {
    await mkdir(directory, { recursive: true })
    const dataDir = join(directory, "data")
    const keyFile = join(directory, "key")
    if (!existsSync(keyFile)) await writeFile(keyFile, await makeGrown(dataDir, times))
    return await measure(dataDir, await readFile(keyFile, "utf8"), times)
  } finally {
    if (kept === undefined) await rm(directory, { recursive: true, force: true })
  }
}

async function measure(dataDir: string, key: string, times: number): Promise<Costs> {
  const costs: Costs = new Map()
  const ready: number[] = []
  const readyProcessor: number[] = []
  const rested: number[] = []
  const resident: number[] = []
  for (let start = 0; start < starts; start++) {
    const box = await startBuilt(dataDir, key)
    ready.push(box.readyMs)
    readyProcessor.push(box.readyProcessorMs)
    if (start < 2) {
      rested.push((await box.rest()) - box.readyProcessorMs)
      resident.push(box.residentMb())
    }
    await box.stop()
  }
  costs.set("start to ready", { value: median(ready), unit: "ms" })
  costs.set("start to ready, processor time", { value: median(readyProcessor), unit: "ms" })
  costs.set("from ready to rest, processor time", { value: Math.min(...rested), unit: "ms", grows: true })
  costs.set("idle memory", { value: Math.min(...resident), unit: "MB" })

  const box = await startBuilt(dataDir, key)
  try {
    await box.rest()
    for (const [name, cost] of await requests(box, times)) costs.set(name, cost)
    return costs
  } finally {
    await box.stop()
  }
}

/** The box's processor time for one of many requests of a kind. */
async function requests(box: GrownBox, times: number): Promise<Costs> {
  const { client, url } = box
  const headers = { "x-api-key": box.key }
  const costs: Costs = new Map()
  async function cost(
    name: string,
    work: (index: number) => Promise<unknown>,
    count = repeated,
    grows?: true,
  ) {
    if (count > 1) for (let index = 0; index < 10; index++) await work(count + index)
    const before = box.processorMs()
    for (let index = 0; index < count; index++) await work(index)
    const value = (box.processorMs() - before) / count
    costs.set(name, { value, unit: "ms", ...(grows && { grows }) })
  }
  const get = async (path: string) => {
    const answer = await fetch(url + path, { headers })
    if (!answer.ok) throw new Error(`${path} answered ${String(answer.status)}`)
    await answer.arrayBuffer()
  }
  const { vectors } = await client.folders.list()
  const large = { id: vectors.toSorted((a, b) => b.fileCount - a.fileCount)[0]?.id ?? "" }
  const small = { id: vectors[1]?.id ?? "" }
  const first =
    "me settings chats?limit=50 chats?pinned=true vectors notifications?limit=30 notifications/unread-count assistants"
  for (const path of ["nothing", ...first.split(" ")])
    await cost(path === "nothing" ? "health" : `first screen: ${path}`, () =>
      get(path === "nothing" ? "/api/health" : `/api/public/${path}`),
    )
  await cost("chats: a page in the middle", () =>
    get(`/api/public/chats?limit=50&offset=${String(100 * times)}`),
  )
  await cost("chats: by a word of the title", () => get("/api/public/chats?limit=50&search=copper"))
  const { chats: recent } = await client.conversations.list({ query: { limit: 2 * repeated } })
  await cost("chats: opened", (index) => get(`/api/public/chats/${recent[index]?.id ?? ""}`))
  await cost("chats: searched for words", (index) =>
    client.conversations.search({ query: { query: getText(index * 7, 2) } }),
  )
  await cost("one folder read", () => client.folders.read({ params: small }))
  await cost("the largest folder read", () => client.folders.read({ params: large }))
  await cost("files: first page", () => client.files.list({ params: large, query: { limit: 100 } }))
  await cost("files: first page of the failed", () =>
    client.files.list({ params: large, query: { limit: 100, status: "failed" } }),
  )
  await cost("files: by a name", () =>
    client.files.list({ params: large, query: { limit: 100, search: "copper" } }),
  )
  await cost("passages searched", (index) =>
    client.folders.search({ body: { query: getText(index * 11, 3), vector: [large.id] } }),
  )
  await cost("passages of a small folder searched", (index) =>
    client.folders.search({ body: { query: getText(index * 11, 3), vector: [small.id] } }),
  )
  await writes(box, cost, large)
  return costs
}

type Measure = (
  name: string,
  work: (index: number) => Promise<unknown>,
  count?: number,
  grows?: true,
) => Promise<void>

async function writes({ client }: GrownBox, cost: Measure, large: { id: string }): Promise<void> {
  await cost("notification sent", (index) =>
    client.notifications.send({ body: { title: `Done ${String(index)}` } }),
  )
  const feed = await client.notifications.list({ query: { limit: 2 * repeated } })
  const sent = feed.notifications.map(({ id }) => id)
  await cost("notification read", (index) =>
    client.notifications.update({ params: { id: sent[index] ?? "" }, body: { read: true } }),
  )
  await cost("notification deleted", (index) =>
    client.notifications.remove({ params: { id: sent[index] ?? "" } }),
  )
  await cost("all notifications marked read", () => client.notifications.markAllRead(), 1, true)
  const { pagination, chats: recent } = await client.conversations.list({ query: { limit: 2 * repeated } })
  await cost("chat renamed", (index) =>
    client.conversations.update({
      params: { id: recent[index]?.id ?? "" },
      body: { title: `Renamed ${String(index)}` },
    }),
  )
  const oldest = { limit: 20, offset: pagination.total - 20 }
  const { chats } = await client.conversations.list({ query: oldest })
  await cost(
    "chat deleted",
    (index) => client.conversations.remove({ params: { id: chats[index]?.id ?? "" } }),
    10,
  )
  const { files } = await client.files.list({ params: large, query: { limit: 20 } })
  await cost(
    "file deleted",
    (index) => client.files.remove({ params: { id: large.id, fileId: files[index]?.id ?? "" } }),
    10,
  )
}

if (import.meta.main) {
  const [times, kept] = process.argv.slice(2)
  if (times === undefined) printResults(await run())
  else printResults(getResults(Number(times), await measureCosts(Number(times), kept)))
}
