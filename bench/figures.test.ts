import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findOut, getFloor, isOut, readFigures, toFigure, insertTable, type Figures } from "./figures.ts"

const root = join(import.meta.dirname, "..")
const bare = { startMs: 30, residentMb: 45 }
const measured = { commit: "abc", date: "2026-01-31" }
const all = Object.values(readFigures()).flatMap((kept) => Object.entries(kept))

/** History is missing in a source archive and in a shallow clone. */
function hasHistory(): boolean {
  if (!existsSync(join(root, ".git"))) return false
  const answer = execFileSync("git", ["rev-parse", "--is-shallow-repository"], {
    cwd: root,
    encoding: "utf8",
  })
  return answer.trim() === "false"
}

describe("a figure", () => {
  // Catches a bound that moves with each measurement, so that gradual regressions are never noticed.
  it("keeps its bound when it is measured again", () => {
    const first = toFigure({ name: "start", value: 150, unit: "ms" }, bare, measured, undefined)
    expect(first).toMatchObject({ floor: 30, ratio: 5, bound: { most: 6.25 } })
    const again = toFigure({ name: "start", value: 180, unit: "ms" }, bare, measured, first)
    expect(again).toMatchObject({ ratio: 6, bound: { most: 6.25 } })
  })

  // Catches a falling rate that is treated as an improvement, and a quality that has an upper bound.
  it.each([
    { name: "a", value: 100, unit: "requests/s", floor: 400 },
    { name: "a", value: 0.25, unit: "", target: "≥0.2" },
  ])("has a lower bound if more is better: $unit$target", (result) => {
    expect(toFigure(result, bare, measured, undefined).bound).toEqual({ least: 0.2 })
  })

  // Catches a direct comparison of times from two machines.
  it.each([
    ["ms", 30],
    ["s", 0.03],
    ["MB more", 45],
    ["MB/s", 1_000 / 30],
    ["", 1],
  ])("without its own floor uses that of bare Node in %j, and 1 for a count", (unit, floor) => {
    expect(getFloor({ name: "a", value: 1, unit }, bare)).toBeCloseTo(floor)
  })

  // Catches a check that finds nothing.
  it("out of its bound is reported with its previous value", () => {
    const kept = toFigure({ name: "start", value: 150, unit: "ms" }, bare, measured, undefined)
    const results = [{ name: "start", value: 300, unit: "ms" }]
    expect(findOut({ topic: "box", bare, results }, { box: { start: kept } })).toEqual([
      "box: start is 10 × its floor, and may be at most 6.25; it was 5 at abc on 2026-01-31",
    ])
    expect(
      findOut({ topic: "box", bare: { ...bare, startMs: 60 }, results }, { box: { start: kept } }),
    ).toEqual([])
  })
})

describe("the stored figures", () => {
  // Catches a document whose figures differ from the stored ones.
  it("match the table in docs/contributing/benchmarks.md", () => {
    const text = readFileSync(join(root, "docs/contributing/benchmarks.md"), "utf8")
    expect(insertTable(text, readFigures())).toBe(text)
  })

  // Catches a figure that was edited by hand and is outside its own bound.
  it("are within their bounds", () => {
    expect(all.filter(([, { ratio, bound }]) => isOut(ratio, bound)).map(([name]) => name)).toEqual([])
  })

  // Catches a figure from a commit that no longer exists, which can't be measured again.
  it.skipIf(!hasHistory())("belong to existing commits", () => {
    const commits = [...new Set(all.map(([, { commit }]) => commit))]
    const missing = commits.filter((commit) => {
      const kind = execFileSync("git", ["cat-file", "--batch-check"], {
        cwd: root,
        input: commit,
        encoding: "utf8",
      })
      return !kind.includes(" commit ")
    })
    expect(missing).toEqual([])
  })
})

// Catches a write that adds another table each time.
it("a new table replaces the previous one", () => {
  const figures: Figures = {}
  const text = "Before\n<!-- figures -->\nold\n<!-- end of figures -->\nAfter\n"
  const once = insertTable(text, figures)
  expect(once).not.toContain("old")
  expect(once.endsWith("<!-- end of figures -->\nAfter\n")).toBe(true)
  expect(insertTable(once, figures)).toBe(once)
})
