import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findOut, floorOf, isOut, readFigures, toFigure, withTable, type Figures } from "./figures.ts"

const root = join(import.meta.dirname, "..")
const bare = { startMs: 30, residentMb: 45 }
const measured = { commit: "abc", date: "2026-01-31" }
const all = Object.values(readFigures()).flatMap((kept) => Object.entries(kept))

/** Not in an archive of the sources, nor in a clone of the newest commits only. */
function hasHistory(): boolean {
  if (!existsSync(join(root, ".git"))) return false
  const answer = execFileSync("git", ["rev-parse", "--is-shallow-repository"], {
    cwd: root,
    encoding: "utf8",
  })
  return answer.trim() === "false"
}

describe("a figure", () => {
  // Would catch: a bound that moves with what it should hold, so that a little worse each time is never noticed.
  it("keeps its bound when it is measured again", () => {
    const first = toFigure({ name: "start", value: 150, unit: "ms" }, bare, measured, undefined)
    expect(first).toMatchObject({ floor: 30, ratio: 5, bound: { most: 6.25 } })
    const again = toFigure({ name: "start", value: 180, unit: "ms" }, bare, measured, first)
    expect(again).toMatchObject({ ratio: 6, bound: { most: 6.25 } })
  })

  // Would catch: a rate that falls and counts as better, and a quality that is held from above.
  it.each([
    { name: "a", value: 100, unit: "requests/s", floor: 400 },
    { name: "a", value: 0.25, unit: "", target: "≥0.2" },
  ])("of which more is better has a lower bound: $unit$target", (result) => {
    expect(toFigure(result, bare, measured, undefined).bound).toEqual({ least: 0.2 })
  })

  // Would catch: times of two machines that are compared as they are.
  it.each([
    ["ms", 30],
    ["s", 0.03],
    ["MB more", 45],
    ["MB/s", 1_000 / 30],
    ["", 1],
  ])(
    "without a floor of its own in %j is held against a bare Node, and a count against itself",
    (unit, floor) => {
      expect(floorOf({ name: "a", value: 1, unit }, bare)).toBeCloseTo(floor)
    },
  )

  // Would catch: a check that finds nothing.
  it("out of its bound is told with what it was", () => {
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

describe("what is kept", () => {
  // Would catch: a document that says other figures than those that are held.
  it("is the table of docs/performance.md", () => {
    const text = readFileSync(join(root, "docs/performance.md"), "utf8")
    expect(withTable(text, readFigures())).toBe(text)
  })

  // Would catch: a figure that was written by hand, out of its own bound.
  it("is in its bounds", () => {
    expect(all.filter(([, { ratio, bound }]) => isOut(ratio, bound)).map(([name]) => name)).toEqual([])
  })

  // Would catch: a figure of a commit that nobody has any more, which can't be measured again.
  it.skipIf(!hasHistory())("is of commits that there are", () => {
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

// Would catch: a table that grows by one with each writing.
it("a table takes the place of the one before", () => {
  const figures: Figures = {}
  const text = "Before\n<!-- figures -->\nold\n<!-- end of figures -->\nAfter\n"
  const once = withTable(text, figures)
  expect(once).not.toContain("old")
  expect(once.endsWith("<!-- end of figures -->\nAfter\n")).toBe(true)
  expect(withTable(once, figures)).toBe(once)
})
