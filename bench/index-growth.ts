// Checks whether indexing stays as fast when the index grows: node bench/index-growth.ts [passages]
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newId } from "../src/box/core/ids.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { openPassageIndex, type PassageIndex } from "../src/box/engines/vectors/passage-index.ts"
import { elapsed, percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { sequence, spell } from "./made-up-words.ts"

/** Costs are reported between one size and the next. */
const sizes = [10_000, 50_000, 100_000, 300_000, 1_000_000]
const passagesPerPut = 1_000
const passagesPerFile = 20
/** Searches are so rare that indexing takes nearly all processor time. */
const putsPerSearch = 10
const wordsPerPassage = 120
const differentTexts = 5_000
const questions = 200
const settleMs = 15_000
const maxGrowth = 1.3

const vocabulary = Array.from({ length: 30_000 }, (_, index) => spell(index + 7))
const functionWords = "the of and to in is was that for it".split(" ")
const random = sequence(7)
const texts = Array.from({ length: differentTexts }, () =>
  Array.from({ length: wordsPerPassage }, () => word()).join(" "),
)
const megabytesPerPut = (texts.join("").length / differentTexts) * passagesPerPut * 1e-6

export async function run(most = 300_000): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-index-growth-"))
  try {
    await using index = await openPassageIndex({
      directory: join(directory, "index"),
      passages: async function* () {},
      logger: silentLogger,
    })
    return await measure(
      index,
      sizes.filter((size) => size <= most),
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function measure(index: PassageIndex, marks: number[]): Promise<BenchResult[]> {
  const folders = Array.from({ length: 5 }, () => newId())
  const search = () => elapsed(() => index.keyword(question(), folders, 24))
  const results: BenchResult[] = []
  let first: number | undefined
  for (const [place, size] of marks.entries()) {
    const from = marks[place - 1] ?? 0
    const used = processorSeconds()
    const searchTimes: number[] = []
    for (let done = from; done < size;) {
      await index.put(passagesFrom(done, folders))
      done += passagesPerPut
      if (done % (putsPerSearch * passagesPerPut) === 0) searchTimes.push(await search())
    }
    const seconds = ((processorSeconds() - used) / (size - from)) * 10_000
    first ??= seconds
    await new Promise((resolve) => setTimeout(resolve, settleMs)) // leaves time for the work that the index does when writing pauses
    const settled: number[] = []
    const searching = processorSeconds()
    for (let asked = 0; asked < questions; asked++) settled.push(await search())
    const searchMs = ((processorSeconds() - searching) / questions) * 1000
    const growth = seconds / first
    const range = `${from}–${size} passages`
    results.push(
      { name: `processor time for 10,000, ${range}`, value: seconds, unit: "s" },
      {
        name: `… for a MB`,
        value: (seconds / 10_000) * (passagesPerPut / megabytesPerPut),
        unit: "s",
      },
      {
        name: "… of that for the first ones",
        value: growth,
        unit: "",
        target: "≤1.3",
        ok: growth <= maxGrowth,
      },
      { name: "… keyword search p95 meanwhile", value: percentile(searchTimes, 0.95), unit: "ms" },
      { name: "… keyword search p95 after a pause", value: percentile(settled, 0.95), unit: "ms" },
      { name: "… its processor time", value: searchMs, unit: "ms" },
    )
    process.stderr.write(
      `${JSON.stringify(results.slice(-6).map(({ value }) => Number(value.toPrecision(4))))}\n`,
    )
  }
  return results
}

/** The next passages, for files in one folder after another, as ingestion writes them. */
function passagesFrom(start: number, folders: string[]) {
  const vectorId = folders[Math.floor(start / 10_000) % folders.length] ?? ""
  let fileId = ""
  return Array.from({ length: passagesPerPut }, (_, place) => {
    if (place % passagesPerFile === 0) fileId = newId()
    return { id: newId(), fileId, vectorId, text: texts[(start + place) % differentTexts] ?? "" }
  })
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Words with uneven frequencies, as in real text. */
function word(): string {
  const words = random() < 0.3 ? functionWords : vocabulary
  return words[Math.floor(words.length * random() ** 4)] ?? ""
}

function question(): string {
  const words = Array.from({ length: 5 }, () => vocabulary[Math.floor(vocabulary.length * random() ** 3)])
  return `what is the ${words.join(" ")}`
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 300_000)))
