// Processor time that real documents of all formats take on their way into the index, by stage: `node bench/ingestion-stages.ts` uses 100
// MB, `node bench/ingestion-stages.ts 1000` a gigabyte. It measures nothing without the collections next to the project.
import { readdirSync, readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createHash } from "node:crypto"
import { spawnNodeChild, type SpawnChild } from "../src/box/core/children/child.ts"
import { newId } from "../src/box/core/ids.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { createTextEmbedder, type TextEmbedder } from "../src/box/engines/embedding/text-embedder.ts"
import { openPassageIndex } from "../src/box/engines/vectors/passage-index.ts"
import { analysePassages } from "../src/box/engines/vectors/text/search-text.ts"
import { extractPieces, type Remarks } from "../src/box/features/files/ingestion/read-job.ts"
import type { Job } from "../src/box/features/files/ingestion/job.ts"
import { chunk } from "../src/box/features/retrieval/chunker.ts"
import { ParseFailure } from "../src/box/parsers/parser.ts"
import { createDocumentReader, type DocumentReader } from "../src/box/parsers/process/document-reader.ts"
import { openEmbedder } from "./retrieval-folder.ts"
import { printResults, type BenchResult } from "./result.ts"
import { variedDocuments, type VariedDocument } from "./varied-documents.ts"

const usualMegabytes = 100
const passagesPerCommit = 1_000
const textsPerCall = 32
/** `cut` is the box's work on a parser's output; `index` excludes analysing the words. */
const stages = ["parse", "cut", "analyse", "index", "embed"] as const
type Stage = (typeof stages)[number]

interface Cost extends Record<Stage, number> {
  files: number
  bytes: number
  passages: number
}

/** Processor time so far, in ms, of this process and its children, including children that ended. */
function used(): { own: number; children: number } {
  const { user, system } = process.cpuUsage()
  const ticks = (pid: string, from: number) =>
    readFileSync(`/proc/${pid}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ")
      .slice(from, from + 2) ?? []
  const ms = (values: string[]) => values.reduce((sum, value) => sum + Number(value) * 10, 0)
  const alive = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  )
  const children = alive.reduce((sum, pid) => sum + ms(ticks(pid, 11)), ms(ticks("self", 13)))
  return { own: (user + system) / 1000, children }
}

async function spent(work: () => Promise<unknown>): Promise<{ own: number; children: number }> {
  const before = used()
  await work()
  const after = used()
  return { own: after.own - before.own, children: after.children - before.children }
}

const getJob = ({ name, bytes }: VariedDocument): Job => ({
  fileId: newId(),
  folderId: newId(),
  ownerId: newId(),
  root: "",
  pipeline: "full",
  name,
  subFolder: "",
  size: bytes.length,
  storage: "local",
  object: null,
  revision: 1,
  attempts: 0,
  priority: 0,
  readAs: null,
  marksHidden: false,
  readers: null,
  wantsPictures: false,
  wantsDescriptions: false,
  waiting: null,
})

/** Texts of a document's passages. */
async function extractPassages(
  reader: DocumentReader,
  document: VariedDocument,
  path: string,
): Promise<string[]> {
  const texts: string[] = []
  const remarks: Remarks = { notes: [] }
  const blocks = reader.read({ path, name: document.name }, { onScans: (scans) => (remarks.scans = scans) })
  try {
    for await (const { passages } of extractPieces(getJob(document), blocks, chunk, remarks, null))
      texts.push(...passages.map(({ text }) => text))
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error
  }
  return texts
}

export async function run(megabytes = usualMegabytes): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-"))
  let starts = 0
  const spawn: SpawnChild = (options) => {
    starts++
    return spawnNodeChild(options)
  }
  await using embedding = openEmbedder()
  const embedder = embedding && createTextEmbedder(embedding, { query: "", document: "" })
  await embedder?.embed(["warm"], "document", AbortSignal.timeout(60_000))
  try {
    await using reader = createDocumentReader({ spawn, logger: silentLogger })
    await using index = await openPassageIndex({
      directory: join(directory, "index"),
      passages: async function* () {},
      logger: silentLogger,
    })
    const costs = new Map<string, Cost>()
    let floor = 0
    for await (const documents of groupByFormat(variedDocuments(megabytes * 1e6))) {
      const cost = { files: 0, bytes: 0, passages: 0, parse: 0, cut: 0, analyse: 0, index: 0, embed: 0 }
      costs.set(documents[0]?.format ?? "", cost)
      const texts: string[] = []
      for (const document of documents) {
        const path = join(directory, document.name)
        await writeFile(path, document.bytes)
        const { own, children } = await spent(async () =>
          texts.push(...(await extractPassages(reader, document, path))),
        )
        cost.parse += children
        cost.cut += own
        cost.bytes += document.bytes.length
        cost.files++
        floor += (await spent(async () => createHash("sha256").update(document.bytes).digest())).own
        await rm(path)
      }
      cost.passages = texts.length
      for (let from = 0; from < texts.length; from += passagesPerCommit) {
        const part = texts.slice(from, from + passagesPerCommit)
        const analyse = (await spent(() => analysePassages(part))).own
        const [vectorId, fileId] = [newId(), newId()]
        const put = await spent(() =>
          index.put(part.map((text) => ({ id: newId(), vectorId, fileId, text }))),
        )
        cost.analyse += analyse
        cost.index += Math.max(0, put.own - analyse)
        if (embedder) cost.embed += await measureEmbedding(embedder, part)
      }
    }
    return getResults(costs, floor, starts)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function measureEmbedding(embedder: TextEmbedder, texts: readonly string[]): Promise<number> {
  let ms = 0
  for (let at = 0; at < texts.length; at += textsPerCall) {
    const few = texts.slice(at, at + textsPerCall)
    const { own, children } = await spent(() => embedder.embed(few, "document", AbortSignal.timeout(600_000)))
    ms += own + children
  }
  return ms
}

async function* groupByFormat(documents: AsyncIterable<VariedDocument>): AsyncGenerator<VariedDocument[]> {
  let group: VariedDocument[] = []
  for await (const document of documents) {
    if (group[0] && group[0].format !== document.format) {
      yield group
      group = []
    }
    group.push(document)
  }
  if (group.length > 0) yield group
}

function getResults(costs: ReadonlyMap<string, Cost>, floor: number, starts: number): BenchResult[] {
  if (costs.size === 0) return []
  const each = [...costs.values()]
  const sum = (value: (cost: Cost) => number) => each.reduce((total, cost) => total + value(cost), 0)
  const megabytes = sum(({ bytes }) => bytes) / 1e6
  const all = (cost: Cost) => stages.reduce((total, stage) => total + cost[stage], 0)
  const unit = "ms/MB"
  const rows = [...costs].map(([format, cost]) => ({
    format,
    files: cost.files,
    MB: (cost.bytes / 1e6).toFixed(1),
    passages: cost.passages,
    ...Object.fromEntries(stages.map((stage) => [stage, Math.round(cost[stage])])),
    "a file": (all(cost) / cost.files).toFixed(1),
  }))
  console.error(rows.map((row) => JSON.stringify(row)).join("\n"))
  return [
    { name: "documents, all stages", value: sum(all) / megabytes, unit, floor: floor / megabytes },
    ...stages.map((stage) => ({ name: `… ${stage}`, value: sum((cost) => cost[stage]) / megabytes, unit })),
    ...[...costs].map(([format, cost]) => ({
      name: `${format}, all stages`,
      value: (all(cost) / cost.bytes) * 1e6,
      unit,
    })),
    ...[...costs].map(([format, cost]) => ({
      name: `${format}: parse, a file`,
      value: cost.parse / cost.files,
      unit: "ms",
    })),
    { name: "parser processes started", value: starts, unit: "" },
  ]
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? usualMegabytes)))
