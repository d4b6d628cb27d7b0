import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newId } from "../src/box/core/ids.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { openPassageIndex, type PassageRecord } from "../src/box/engines/vectors/passage-index.ts"
import { chunk } from "../src/box/features/retrieval/chunker.ts"
import type { Block } from "../src/box/parsers/parser.ts"
import { startFolderServer, type FolderServer } from "../src/box/testing/folder-server.ts"
import { printResults, type BenchResult } from "./result.ts"

const smallFiles = 10_000
const largeMegabytes = 32
const perDirectory = 500

const words = (
  "harbour ledger window copper signal garden motion paper village winter engine market stone bridge letter " +
  "river season camera bottle forest sailor mirror ticket corner silver ribbon meadow lantern pocket thunder"
).split(" ")

/** Repeatable text: the same seed gives the same words. */
function* text(seed: number): Generator<string> {
  for (let state = seed + 1; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    yield `${words[state % words.length] ?? ""}${state % 997 === 0 ? "." : ""} `
  }
}

function getText(seed: number, characters: number): string {
  let result = ""
  for (const word of text(seed)) {
    result += word
    if (result.length >= characters) return result
  }
  return result
}

/** 10,000 notes of about 1 kB in directories of 500. */
async function writeSmallFiles(root: string): Promise<void> {
  for (let number = 0; number < smallFiles; number++) {
    const directory = join(root, `part-${Math.floor(number / perDirectory)}`)
    if (number % perDirectory === 0) await mkdir(directory)
    await writeFile(join(directory, `note-${number}.md`), `# Note ${number}\n\n${getText(number, 1_000)}\n`)
  }
}

/** Settles when `count` files of the server are completed. */
function completed(server: FolderServer, count: number): Promise<void> {
  const ids = new Set<string>()
  return new Promise((resolve, reject) => {
    server.listen((_userIds, message) => {
      if (message.type !== "file") return
      if (message.file.status === "failed") reject(new Error(message.file.error ?? "failed"))
      if (message.file.status === "completed") ids.add(message.file.id)
      if (ids.size === count) resolve()
    })
  })
}

const seconds = (since: number) => (performance.now() - since) / 1000

/** Seconds from creating the folder until the last file is found. */
async function ingest(root: string, files: number): Promise<number> {
  await using server = await startFolderServer()
  const all = completed(server, files)
  const started = performance.now()
  await server.getClient("alice").folders.create({ body: { name: "Bench", folder: root } })
  await all
  return seconds(started)
}

/** Seconds for the same files with only reading, cutting and indexing. */
async function bareIndexing(root: string, directory: string): Promise<number> {
  const passages = async function* () {}
  await using index = await openPassageIndex({ directory, passages, logger: silentLogger })
  const vectorId = newId()
  const started = performance.now()
  let waiting: PassageRecord[] = []
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const content = await readFile(join(entry.parentPath, entry.name), "utf8")
    const fileId = newId()
    for await (const { text } of chunk(readBlocks(content)))
      waiting.push({ id: newId(), vectorId, fileId, text })
    if (waiting.length < 1_000) continue
    await index.put(waiting)
    waiting = []
  }
  await index.put(waiting)
  return seconds(started)
}

async function* readBlocks(content: string): AsyncGenerator<Block> {
  for (const [index, paragraph] of content.split("\n\n").entries()) {
    yield { kind: index === 0 ? "heading" : "paragraph", text: paragraph, location: { line: index * 2 + 1 } }
  }
}

/** Ingestion of 10,000 small files and one large file. */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-"))
  try {
    const small = join(directory, "small")
    await mkdir(small)
    await writeSmallFiles(small)
    const smallSeconds = await ingest(small, smallFiles)
    const floor = await bareIndexing(small, join(directory, "index"))

    const large = join(directory, "large")
    await mkdir(large)
    await writeFile(join(large, "large.txt"), getText(7, largeMegabytes * 1_000_000))
    const largeSeconds = await ingest(large, 1)
    return [
      {
        name: "10,000 small files ingested",
        value: smallSeconds,
        unit: "s",
        floor,
        target: "≤120",
        ok: smallSeconds <= 120,
      },
      { name: "one large text ingested", value: largeMegabytes / largeSeconds, unit: "MB/s" },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

if (import.meta.main) printResults(await run())
