import { expect, test } from "vitest"
import type { FileBlock } from "../../../shared/contract/files.ts"
import { documentRows } from "./document-rows.ts"
import { columnLetters, splitCells, tableRows } from "./table-cells.ts"

const row = (text: string, number: number, column?: number, sheet = "Costs"): FileBlock => ({
  kind: "table-row",
  text,
  location: { sheet, row: number, ...(column !== undefined && { column }) },
})

const getCells = (text: string) => splitCells(text).map(([start, end]) => text.slice(start, end))

/** Each cell of these rows by the column letters above it; cells that span the row have none. */
function underLetters(blocks: FileBlock[]): Record<string, string>[] {
  const rows = tableRows(blocks)
  return blocks.map(({ text }, index) => {
    const { table, cells, at } = rows.get(index) ?? expect.unreachable()
    if (at === null) return { "": text }
    const letters = columnLetters(table)
    return Object.fromEntries(
      cells.flatMap(([start, end], cell) =>
        end > start ? [[letters[at + cell], text.slice(start, end)]] : [],
      ),
    )
  })
}

// Catches empty cells that vanish, so that all later cells shift to the left.
test("keeps empty cells", () => {
  expect(getCells("a | | b")).toEqual(["a", "", "b"])
  expect(getCells("a | | | | b")).toEqual(["a", "", "", "", "b"])
  expect(getCells("| | b |")).toEqual(["", "", "b", ""])
  expect(getCells("a |  | b")).toEqual(["a", "", "b"])
  expect(getCells("a|b | |c")).toEqual(["a|b", "|c"])
})

// Catches column letters that count from the table's edge, and rows that begin further right but are shown at its left.
test("puts cells under the letters of their sheet, wherever each row begins", () => {
  const blocks = [row("c", 1, 3), row("b | c", 2, 2), row("z | | ab", 3, 26), row("not | known", 4)]
  expect(underLetters(blocks)).toEqual([
    { C: "c" },
    { B: "b", C: "c" },
    { Z: "z", AB: "ab" },
    { "": "not | known" },
  ])
  const [first] = tableRows([row("x | x", 1, 701)]).values()
  expect(first && columnLetters(first.table)).toEqual(["ZY", "ZZ"])
})

// Catches a cell beyond the maximum number of columns that is shown under another cell's letter.
test("uses the last letter for all remaining columns of a very wide table", () => {
  const wide = Array.from({ length: 60 }, (_, index) => `c${index + 1}`).join(" | ")
  const [first = {}, far = {}] = underLetters([row(wide, 1, 1), row("far", 2, 80)])
  expect(Object.keys(first)).toHaveLength(50)
  expect(first["AW"]).toBe("c49")
  expect(first["AX…"]).toBe("c50 | c51 | c52 | c53 | c54 | c55 | c56 | c57 | c58 | c59 | c60")
  expect(far).toEqual({ "AX…": "far" })
})

// Catches column letters over text that isn't a sheet, over sheets read before letters were known, and letters of another sheet.
test("gives each sheet its letters, for its own rows only", () => {
  const comment: FileBlock = { kind: "paragraph", text: "Sure?", location: { sheet: "Costs", row: 1 } }
  const rows = documentRows(
    [row("a", 1, 1), comment, row("b", 1, 2, "Rents"), row("old", 1, undefined, "Old")],
    [],
  )
  expect(rows.map(({ kind, letters, place }) => [kind, letters, place])).toEqual([
    ["column-letters", 0, "Costs"],
    ["table-row", 0, undefined],
    ["paragraph", undefined, undefined],
    ["column-letters", 3, "Rents"],
    ["table-row", 3, undefined],
    ["table-row", undefined, "Old"],
  ])
})
