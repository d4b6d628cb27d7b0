import { execFileSync, spawnSync } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createMemoryFile } from "../src/box/parsers/document/document-file.ts"
import { pdf } from "../src/box/parsers/formats/pdf.ts"
import { makePdf } from "../src/box/parsers/testing/make-pdf.ts"
import { layoutSamples, type LayoutSample } from "./pdf-layout-pages.ts"
import { printResults, type BenchResult } from "./result.ts"

/** Result of a reader for a document. */
interface Reading {
  text: string
  /** Rows of cells. */
  rows: string[][]
  /** Whether a cell's number in its row is the number of its column. */
  hasColumns: boolean
  /** Pages left for OCR; undefined if the reader doesn't know OCR. */
  scans?: number[]
}

/** Counts of what was found, each as found and expected. */
interface Score {
  lines: [number, number]
  cells: [number, number]
  /** Repeated running lines that were left out. */
  running: [number, number]
  scans: [number, number]
  /** Descriptions of wrong results, for people. */
  faults: string[]
}

async function readOurs(bytes: Buffer): Promise<Reading> {
  const reading: Reading = { text: "", rows: [], hasColumns: true, scans: [] }
  const context = {
    describe: () => undefined,
    note: () => undefined,
    async *embedded() {},
    archives: 0,
    marksHidden: false,
    onlyScan: false,
    leaveScans: ({ scans }: { scans: readonly { page: number }[] }) =>
      reading.scans?.push(...scans.map(({ page }) => page)),
  }
  for await (const { kind, text } of pdf.parse({ file: createMemoryFile(bytes), name: "a.pdf" }, context)) {
    reading.text += `${text}\n`
    if (kind === "table-row" || kind === "table-header")
      reading.rows.push(` ${text} `.split(/(?<= )\|(?= )/).map((cell) => cell.trim()))
  }
  return reading
}

/** Other readers by name, with the arguments before the path of a file and after it. */
const otherReaders = {
  "pdftotext -layout": ["pdftotext", ["-layout"], ["-"]],
  "mutool draw": ["mutool", ["draw", "-q", "-F", "txt"], []],
} as const

type OtherReader = keyof typeof otherReaders

const isInstalled = (name: OtherReader): boolean =>
  spawnSync(otherReaders[name][0], ["-v"]).error === undefined

/** Reads a file with another program. Its words that are hyphenated at the end of a line are joined, in its favour. */
function readOthers(name: OtherReader, path: string): Reading {
  const [program, before, after] = otherReaders[name]
  const text = execFileSync(program, [...before, path, ...after], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  })
  const rows = text.split("\n").map((line) => line.trim().split(/\s{2,}/))
  return { text: text.replaceAll(/-\n\s*/g, ""), rows, hasColumns: false }
}

const toWords = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? []

function judge(sample: LayoutSample, reading: Reading): Score {
  const score: Score = { lines: [0, 0], cells: [0, 0], running: [0, 0], scans: [0, 0], faults: [] }
  const common = new Set(["of", "the", "and", "in", "a", "for", "page"])
  const known = (text: string) => toWords(text).filter((word) => !common.has(word))
  const wanted = new Set(sample.flows.flat().flatMap(({ text }) => known(text)))
  const positions = new Map<string, number>()
  for (const [index, word] of toWords(reading.text)
    .filter((each) => wanted.has(each))
    .entries())
    positions.set(word, index)
  for (const flow of sample.flows) {
    let end = -1
    for (const { text, startsParagraph } of flow) {
      const words = known(text)
      if (words.length === 0) continue
      const start = positions.get(words[0] ?? "") ?? -1
      const isWhole = start >= 0 && words.every((word, index) => positions.get(word) === start + index)
      const isNext = startsParagraph ? start > end : start === end + 1
      score.lines[1]++
      if (isWhole && isNext) score.lines[0]++
      else score.faults.push(`${sample.name}: line ${text}`)
      if (isWhole) end = start + words.length - 1
    }
  }
  for (const table of sample.tables)
    for (const row of table) {
      const matches = (found: readonly string[]) =>
        row.filter((cell, column) =>
          cell === "" ? false : reading.hasColumns ? found[column] === cell : found.includes(cell),
        ).length
      const filled = row.filter((cell) => cell !== "").length
      const best = reading.rows.reduce((most, found) => Math.max(most, matches(found)), 0)
      score.cells[0] += best
      score.cells[1] += filled
      if (best < filled) score.faults.push(`${sample.name}: row ${row.join(" | ")}`)
    }
  for (const text of sample.running) {
    const count = reading.text.split(text).length - 1
    score.running[0] += Math.min(sample.pages.length - 1, sample.pages.length - count)
    score.running[1] += sample.pages.length - 1
    if (count !== 1) score.faults.push(`${sample.name}: ${text} ${count} times`)
  }
  if (reading.scans) {
    const expected = new Set(sample.scans)
    score.scans[1] += sample.pages.length
    for (const index of sample.pages.keys())
      if (expected.has(index + 1) === reading.scans.includes(index + 1)) score.scans[0]++
      else score.faults.push(`${sample.name}: page ${index + 1} and OCR`)
  }
  return score
}

/** Returns the percentage that was found. */
function toPercentage(scores: readonly Score[], kind: Exclude<keyof Score, "faults">): number {
  const sum = (index: 0 | 1) => scores.reduce((total, score) => total + score[kind][index], 0)
  return (100 * sum(0)) / Math.max(1, sum(1))
}

/** Accuracy of the layout of PDF pages that are made from known text, next to other programs if they are installed. */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-"))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const others = (Object.keys(otherReaders) as OtherReader[]).filter(isInstalled)
  const scores = new Map<string, Score[]>(["Casella", ...others].map((name) => [name, []]))
  const files: Buffer[] = []
  let pages = 0
  const path = join(directory, "sample.pdf")
  for (const sample of layoutSamples()) {
    const bytes = makePdf(sample.pages)
    await writeFile(path, bytes)
    files.push(bytes)
    pages += sample.pages.length
    scores.get("Casella")?.push(judge(sample, await readOurs(bytes)))
    for (const name of others) scores.get(name)?.push(judge(sample, readOthers(name, path)))
  }
  const results: BenchResult[] = []
  const ours = scores.get("Casella") ?? []
  for (const fault of ours.flatMap(({ faults }) => faults)) process.stderr.write(`${fault}\n`)
  for (const [name, own] of scores) {
    const isOurs = name === "Casella"
    const add = (what: string, kind: Exclude<keyof Score, "faults">, target: number) => {
      const value = toPercentage(own, kind)
      const goal = isOurs && { target: `≥${target}`, ok: value >= target }
      results.push({ name: `${name}: ${what} of ${pages} pages`, value, unit: "%", ...goal })
    }
    add("lines in order", "lines", 98)
    add("cells in their row and column", "cells", 95)
    add("repeated running lines left out", "running", 95)
    if (isOurs) add("pages left for OCR correctly", "scans", 100)
  }
  const before = process.cpuUsage()
  for (const bytes of files) await readOurs(bytes)
  const { user, system } = process.cpuUsage(before)
  results.push({ name: "Casella: time of a page", value: (user + system) / 1000 / pages, unit: "ms" })
  return results
}

if (import.meta.main) printResults(await run())
