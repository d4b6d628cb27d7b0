import { mkdtemp, open, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spawnNodeChild } from "../src/box/core/children/child.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { createDocumentReader } from "../src/box/parsers/process/document-reader.ts"
import { printResults, type BenchResult } from "./result.ts"

const megabyte = 2 ** 20
const size = 1024 * megabyte
const names = ["huge.csv", "huge.txt"]

/** Rows with quotes and commas, which are also words when read as text. */
const row = Buffer.from(`4711,"Rossi, Maria",harbour master,Genova,"says ""ready"" at dawn",1250.75\n`)

async function writeHuge(path: string): Promise<void> {
  const chunk = Buffer.concat(Array.from({ length: Math.floor(megabyte / row.length) }, () => row))
  await using file = await open(path, "w")
  for (let written = 0; written < size; written += chunk.length) await file.write(chunk)
}

/** Peak and current resident memory of a process (Linux only). */
async function getMemory(pid: number): Promise<{ most: number; now: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  const value = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { most: value("VmHWM"), now: value("VmRSS") }
}

async function read(path: string, name: string): Promise<BenchResult[]> {
  let pid = 0
  await using reader = createDocumentReader({
    logger: silentLogger,
    slots: 1,
    spawn(options) {
      const child = spawnNodeChild(options)
      pid = child.pid ?? 0
      return child
    },
  })
  const before = process.memoryUsage.rss() / megabyte
  let idle = 0
  let characters = 0
  let most = 0
  const notes: unknown[] = []
  const started = performance.now()
  for await (const { text } of reader.read({ path, name }, { onNote: (note) => notes.push(note) })) {
    if (characters === 0) idle = (await getMemory(pid)).now
    characters += text.length
    most = Math.max(most, process.memoryUsage.rss() / megabyte)
  }
  const seconds = (performance.now() - started) / 1000
  if (notes.length === 0) throw new Error("nothing was said about the text that was left out")
  const child = (await getMemory(pid)).most - idle
  const box = most - before
  const bound = { unit: "MB", target: "≤150" }
  return [
    { name: `1 GiB ${name}: text read`, value: characters / 1e6 / seconds, unit: "MB/s" },
    { name: `1 GiB ${name}: growth of the parser`, value: child, ...bound, ok: child <= 150 },
    { name: `1 GiB ${name}: growth of the box`, value: box, ...bound, ok: box <= 150 },
  ]
}

/** Memory for files of 1 GiB, of which the box reads the first 64 million characters. */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-"))
  try {
    const path = join(directory, "huge")
    await writeHuge(path)
    const results: BenchResult[] = []
    for (const name of names) results.push(...(await read(path, name)))
    return results
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

if (import.meta.main) printResults(await run())
