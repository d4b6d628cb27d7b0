// Disk space of the search index after many updates: node bench/retrieval-index-size.ts
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { openPassageIndex, type PassageRecord } from "../src/box/engines/vectors/passage-index.ts"
import { printResults, type BenchResult } from "./result.ts"

const dimensions = 64
const files = 300
const replaced = 30
const rounds = 10
const passagesPerFile = 10
/** Time for the work that the index does when writing pauses: optimising, and a second pass for versions that had to be kept. */
const settleMs = 15_000

export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-index-size-"))
  try {
    await using index = await openPassageIndex({
      directory: join(directory, "index"),
      embedding: { modelId: "random", dimensions },
      passages: async function* () {},
      logger: silentLogger,
    })
    const vectorId = crypto.randomUUID()
    const settled = async () => {
      await new Promise((resolve) => setTimeout(resolve, settleMs))
      return bytes(directory)
    }
    const ids = Array.from({ length: files }, () => crypto.randomUUID())
    await index.put(ids.flatMap((fileId) => createPassages(fileId, vectorId)))
    const before = await settled()
    for (let round = 0; round < rounds; round++) {
      for (const fileId of ids.slice(0, replaced)) {
        await index.removeFile(fileId)
        await index.put(createPassages(fileId, vectorId))
      }
    }
    const after = await settled()
    const name = `index after ${replaced * rounds} replaced files, of that before`
    return [{ name, value: after / before, unit: "", target: "≤2", ok: after <= 2 * before }]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function createPassages(fileId: string, vectorId: string): PassageRecord[] {
  return Array.from({ length: passagesPerFile }, () => ({
    id: crypto.randomUUID(),
    fileId,
    vectorId,
    text: Array.from({ length: 100 }, () => `word${Math.floor(Math.random() ** 2 * 5_000)}`).join(" "),
    embedding: Float32Array.from({ length: dimensions }, () => Math.random() - 0.5),
  }))
}

async function bytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

if (import.meta.main) printResults(await run())
