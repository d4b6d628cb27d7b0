// What bench/bounds.json keeps of each figure: how it stood to its floor in the run that measured it, and how far it may go.
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { median } from "./measure.ts"
import { isMoreBetter, type BenchResult } from "./result.ts"

/** A figure as it was last measured. Machines differ, and days: what is compared is the ratio. */
export interface Figure {
  value: number
  unit: string
  /** The same work with the least there could be; without one of its own what a bare Node takes; 1 for what is counted. */
  floor: number
  /** The value as a multiple of the floor, in the same run. */
  ratio: number
  /** How far the ratio may go; a promise, or 25 % beyond what it was when it was first measured. */
  bound: { most: number } | { least: number }
  commit: string
  date: string
}

/** By topic, which is the name of a file in this directory, and the result's name. */
export type Figures = Record<string, Record<string, Figure>>

/** What a bare Node takes on this machine at this moment: the floor of what has none of its own. */
export interface BareNode {
  startMs: number
  residentMb: number
}

/** What one topic's bench measured. */
export interface Measured {
  topic: string
  bare: BareNode
  results: readonly BenchResult[]
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const boundsFile = path("bounds.json")
const documentFile = path("../docs/performance.md")
const slack = 1.25
const starts = 9

export const readFigures = (): Figures =>
  (JSON.parse(readFileSync(boundsFile, "utf8")) as { figures: Figures }).figures

export function measureBareNode(): BareNode {
  const times: number[] = []
  const sizes: number[] = []
  for (let index = 0; index < starts; index++) {
    const begun = performance.now()
    const { stdout } = spawnSync(process.execPath, ["-p", "process.memoryUsage.rss()"], { encoding: "utf8" })
    times.push(performance.now() - begun)
    sizes.push(Number(stdout) / 2 ** 20)
  }
  return { startMs: median(times), residentMb: median(sizes) }
}

export function floorOf({ floor, unit }: BenchResult, bare: BareNode): number {
  if (floor !== undefined) return floor
  if (unit === "ms") return bare.startMs
  if (unit === "s") return bare.startMs / 1_000
  if (unit.startsWith("MB") && !unit.endsWith("/s")) return bare.residentMb
  return unit.endsWith("/s") ? 1_000 / bare.startMs : 1
}

const rounded = (value: number) => Number(value.toPrecision(3))

/** What is kept of a result; its bound stays as it was. */
export function toFigure(
  result: BenchResult,
  bare: BareNode,
  measured: Pick<Figure, "commit" | "date">,
  before: Figure | undefined,
): Figure {
  const floor = floorOf(result, bare)
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

/** Whether a ratio has gone too far. */
export const isOut = (ratio: number, bound: Figure["bound"]): boolean =>
  "most" in bound ? ratio > bound.most : ratio < bound.least

/** What is out of its bounds, a sentence each. What was measured and isn't kept has none. */
export function findOut({ topic, results, bare }: Measured, figures: Figures): string[] {
  const kept = figures[topic] ?? {}
  return results.flatMap((result) => {
    const figure = kept[result.name]
    const ratio = rounded(result.value / floorOf(result, bare))
    if (!figure || !isOut(ratio, figure.bound)) return []
    const { bound, commit, date } = figure
    const may = "most" in bound ? `at most ${bound.most}` : `at least ${bound.least}`
    return `${topic}: ${result.name} is ${ratio} × its floor, and may be ${may}; it was ${figure.ratio} at ${commit} on ${date}`
  })
}

/** Keeps what was measured, with the commit that the sources are at; all of them must be committed. */
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
  writeFileSync(documentFile, withTable(readFileSync(documentFile, "utf8"), bounds.figures))
}

const begin = "<!-- figures -->"
const end = "<!-- end of figures -->"

/** The document with the table of these figures in its place. */
export function withTable(text: string, figures: Figures): string {
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
    "| topic | what | figure | floor | of it | may be | measured on |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n")
}
