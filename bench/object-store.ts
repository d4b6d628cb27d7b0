// Files and search index on an object store, with and without local copies of the index, compared with the same box that keeps both in its
// data directory: node bench/object-store.ts [files]
import { setTimeout as wait } from "node:timers/promises"
import { startTestObjectStore } from "../src/shared/testing/test-object-store.ts"
import { startTestBox } from "../src/box/testing/test-box.ts"
import { elapsed, median, percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { sequence } from "./made-up-words.ts"

/** Typical time until a store in the same region starts to answer. */
const storeDelayMs = 15
const searches = 200
const maxTries = 1_000
/** Time until the index has been optimised after writes. */
const settleMs = 15_000
const paragraphsPerFile = 40
const wordsPerParagraph = 100
const uploadsAtOnce = 4
const syllables = "ka lo mi re sta vor den ing pla tru bel nos qui ter fan gol hap jur wix zen".split(" ")

export async function run(files = 300): Promise<BenchResult[]> {
  await using store = await startTestObjectStore()
  store.delayMs = storeDelayMs
  const counted = async (work: () => Promise<unknown>) => {
    store.requests.length = 0
    await work()
    return store.requests.length
  }
  const onStore = (name: string) => ({ files: store.at(`files-${name}`), vectors: store.at(`index-${name}`) })
  const bare = await measure({}, files, async (work) => (await work(), 0))
  const remote = await measure({ ...onStore("bare"), vectorsCacheGb: 0 }, files, counted)
  const copied = await measure(onStore("copied"), files, counted, waitUntilCopied)
  const size = `${files} files`
  const searchTimes = (name: string, of: (ms: number[]) => number) => [
    { name, value: of(remote.searchMs), unit: "ms", floor: of(bare.searchMs) },
    { name: "… with copies here", value: of(copied.searchMs), unit: "ms", floor: of(bare.searchMs) },
  ]
  return [
    { name: `upload, ${size}`, value: remote.uploadMs, unit: "ms", floor: bare.uploadMs },
    { name: "… requests to the store for each", value: remote.uploadRequests, unit: "" },
    { name: `until all are indexed`, value: remote.indexedMs, unit: "ms", floor: bare.indexedMs },
    { name: "… requests for each file", value: remote.indexRequests, unit: "" },
    ...searchTimes("search by words, median", median),
    ...searchTimes("search by words, p95", (ms) => percentile(ms, 0.95)),
    { name: "… requests for each", value: remote.searchRequests, unit: "" },
    { name: "… with copies here", value: copied.searchRequests, unit: "" },
    { name: "… until they are here, from the first search", value: copied.readyMs, unit: "ms" },
    { name: "a list of 100 files, median", value: remote.listMs, unit: "ms", floor: bare.listMs },
  ]
}

/** Searches until a search sends no requests to the store. */
async function waitUntilCopied(search: () => Promise<unknown>, counted: Counted): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) if ((await counted(search)) === 0) return
  throw new Error("There is no copy of the index.")
}

type Counted = (work: () => Promise<unknown>) => Promise<number>

async function measure(
  config: Parameters<typeof startTestBox>[0],
  files: number,
  counted: Counted,
  waitUntilReady: (search: () => Promise<unknown>, counted: Counted) => Promise<void> = (search) =>
    search().then(() => undefined),
) {
  await using box = await startTestBox(config)
  const { client } = box
  const random = sequence(7)
  const word = () =>
    Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join("")
  const { id } = (await client.folders.create({ body: { name: "Bench" } })).vector
  const paragraph = () => Array.from({ length: wordsPerParagraph }, word).join(" ")
  const uploads: number[] = []
  let indexedMs = 0
  const uploadOne = async (number: number) => {
    const text = Array.from({ length: paragraphsPerFile }, paragraph).join("\n\n")
    const ms = await elapsed(() =>
      client.files.upload({ params: { id }, file: new Blob([text]), fileName: `${number}.txt` }),
    )
    uploads.push(ms)
  }
  const isIndexed = async () =>
    (await client.files.list({ params: { id }, query: { status: "completed", limit: 1 } })).total >= files
  const folder = { id, paused: false }
  await client.folders.update({ params: { id: folder.id }, body: { paused: true } })
  const uploadRequests = await counted(async () => {
    for (let number = 0; number < files; number += uploadsAtOnce)
      await Promise.all(
        Array.from({ length: Math.min(uploadsAtOnce, files - number) }, (_, at) => uploadOne(number + at)),
      )
  })
  const indexRequests = await counted(async () => {
    indexedMs = await elapsed(async () => {
      await client.folders.update({ params: { id: folder.id }, body: { paused: false } })
      while (!(await isIndexed())) await wait(50)
    })
  })
  await wait(settleMs)
  const search = () =>
    client.folders.search({ body: { query: `${word()} ${word()}`, vector: [id], strategy: "keyword" } })
  const readyMs = await elapsed(() => waitUntilReady(search, counted))
  const searchMs: number[] = []
  const searchRequests = await counted(async () => {
    for (let each = 0; each < searches; each++) searchMs.push(await elapsed(search))
  })
  const lists: number[] = []
  for (let each = 0; each < searches; each++)
    lists.push(await elapsed(() => client.files.list({ params: { id }, query: { limit: 100 } })))
  return {
    uploadMs: median(uploads),
    uploadRequests: uploadRequests / files,
    indexedMs,
    indexRequests: indexRequests / files,
    readyMs,
    searchMs,
    searchRequests: searchRequests / searches,
    listMs: median(lists),
  }
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 300)))
