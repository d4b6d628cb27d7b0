// Stores each figure's ratio to its floor in bench/bounds.json, from the run that measured it, and the limit of that ratio.
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { median } from "./measure.ts"
import { isMoreBetter, type BenchResult } from "./result.ts"

/** A figure's latest measurement. Machines and days differ, so only the ratio is compared. */
export interface Figure {
  value: number
  unit: string
  /** The same work at the least possible cost. Defaults to bare Node's value; 1 for counts. */
  floor: number
  /** The value as a multiple of the floor, in the same run. */
  ratio: number
  /** Limit of the ratio: a promise, or 25 % beyond the first measurement. */
  bound: { most: number } | { least: number }
  commit: string
  date: string
}

/** Figures by topic (the name of a file in this directory) and result name. */
export type Figures = Record<string, Record<string, Figure>>

/** Values of bare Node on this machine at this moment: the floor of results that have no other. */
export interface BareNode {
  startMs: number
  residentMb: number
}

/** Measurements of one topic's bench. */
export interface Measured {
  topic: string
  bare: BareNode
  results: readonly BenchResult[]
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const boundsFile = path("bounds.json")
const documentFile = path("../docs/contributing/benchmarks.md")
const slack = 1.25
const starts = 9

export const readFigures = (): Figures =>
  (JSON.parse(readFileSync(boundsFile, "utf8")) as { figures: Figures }).figures

export function measureBareNode(): BareNode {
  const times: number[] = []
  const sizes: number[] = []
  for (let index = 0; index < starts; index++) {
    const startedAt = performance.now()
    const { stdout } = spawnSync(process.execPath, ["-p", "process.memoryUsage.rss()"], { encoding: "utf8" })
    times.push(performance.now() - startedAt)
    sizes.push(Number(stdout) / 2 ** 20)
  }
  return { startMs: median(times), residentMb: median(sizes) }
}

export function getFloor({ floor, unit }: BenchResult, bare: BareNode): number {
  if (floor !== undefined) return floor
  if (unit === "ms") return bare.startMs
  if (unit === "s") return bare.startMs / 1_000
  if (unit.startsWith("MB") && !unit.endsWith("/s")) return bare.residentMb
  return unit.endsWith("/s") ? 1_000 / bare.startMs : 1
}

const rounded = (value: number) => Number(value.toPrecision(3))

/** The stored form of a result; it keeps its existing bound. */
export function toFigure(
  result: BenchResult,
  bare: BareNode,
  measured: Pick<Figure, "commit" | "date">,
  before: Figure | undefined,
): Figure {
  const floor = getFloor(result, bare)
  const ratio = rounded(result.value / floor)
  const first = isMoreBetter(result) ? { least: rounded(ratio / slack) } : { most: rounded(ratio * slack) }
  const { value, unit } = result
  return {
    value: rounded(value),
    unit,
    floor: rounded(floor),
    ratio,
    bound: before?.bound ?? first,
    ...measured,
  }
}

/** Whether a ratio is out of its bound. */
export const isOut = (ratio: number, bound: Figure["bound"]): boolean =>
  "most" in bound ? ratio > bound.most : ratio < bound.least

/** One sentence for each result that is out of its bounds. Results without a stored figure are skipped. */
export function findOut({ topic, results, bare }: Measured, figures: Figures): string[] {
  const kept = figures[topic] ?? {}
  return results.flatMap((result) => {
    const figure = kept[result.name]
    const ratio = rounded(result.value / getFloor(result, bare))
    if (!figure || !isOut(ratio, figure.bound)) return []
    const { bound, commit, date } = figure
    const may = "most" in bound ? `at most ${bound.most}` : `at least ${bound.least}`
    return `${topic}: ${result.name} is ${ratio} × its floor, and may be ${may}; it was ${figure.ratio} at ${commit} on ${date}`
  })
}

/** Stores the measurements with the current commit. All sources must be committed. */
export function record(measured: readonly Measured[]): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: path(".."), encoding: "utf8" }).trim()
  const changed = git(
    "status",
    "--porcelain",
    "--untracked-files=no",
    "--",
    ".",
    ":!bench/bounds.json",
    ":!docs",
  )
  if (changed !== "")
    throw new Error(`A figure has a commit: commit these first, and measure again.\n${changed}`)
  const now = { commit: git("rev-parse", "--short", "HEAD"), date: new Date().toISOString().slice(0, 10) }
  const bounds = JSON.parse(readFileSync(boundsFile, "utf8")) as { figures: Figures }
  for (const { topic, results, bare } of measured) {
    const before = bounds.figures[topic] ?? {}
    const kept = results.map(
      (result) => [result.name, toFigure(result, bare, now, before[result.name])] as const,
    )
    bounds.figures[topic] = Object.fromEntries(kept)
  }
  bounds.figures = Object.fromEntries(
    Object.entries(bounds.figures).toSorted(([a], [b]) => a.localeCompare(b)),
  )
  writeFileSync(boundsFile, `${JSON.stringify(bounds, null, 2)}\n`)
  writeFileSync(documentFile, insertTable(readFileSync(documentFile, "utf8"), bounds.figures))
}

const begin = "<!-- figures -->"
const end = "<!-- end of figures -->"

/** The document with its table replaced by one of these figures. */
export function insertTable(text: string, figures: Figures): string {
  const [head, rest = ""] = text.split(begin)
  const [, tail = ""] = rest.split(end)
  return `${head}${begin}\n${table(figures)}\n${end}${tail}`
}

function table(figures: Figures): string {
  const rows = Object.entries(figures).flatMap(([topic, kept]) =>
    Object.entries(kept).map(([name, { value, unit, floor, ratio, bound, commit, date }]) => {
      const measured = `${value} ${unit}`.trim()
      const may = "most" in bound ? `≤${bound.most}` : `≥${bound.least}`
      return `| \`${topic}\` | ${name} | ${measured} | ${floor} | ${ratio} | ${may} | \`${commit}\`, ${date} |`
    }),
  )
  return [
    "| benchmark | measurement | result | floor | ratio | limit | commit |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n")
}
