import { expect, test } from "vitest"
import type { FileBlock } from "../../../shared/contract/files.ts"
import { documentRows } from "./document-rows.ts"
import { columnLetters, splitCells, tableRows } from "./table-cells.ts"

const row = (text: string, number: number, column?: number, sheet = "Costs"): FileBlock => ({
  kind: "table-row",
  text,
  location: { sheet, row: number, ...(column !== undefined && { column }) },
})

const cellsOf = (text: string) => splitCells(text).map(([start, end]) => text.slice(start, end))

/** Each cell of these rows by the letters that it is drawn under; what stands across under none. */
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

// Would catch empty cells that vanish, so that all cells after them slip to the left.
test("empty cells are cells", () => {
  expect(cellsOf("a | | b")).toEqual(["a", "", "b"])
  expect(cellsOf("a | | | | b")).toEqual(["a", "", "", "", "b"])
  expect(cellsOf("| | b |")).toEqual(["", "", "b", ""])
  expect(cellsOf("a |  | b")).toEqual(["a", "", "b"])
  expect(cellsOf("a|b | |c")).toEqual(["a|b", "|c"])
})

// Would catch letters that count from the table's edge, and rows that begin further right drawn at its left.
test("cells stand under the letters of their sheet, wherever each row begins", () => {
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

// Would catch a cell beyond those that are drawn under the letter of another one.
test("the last letter of very many columns stands for all that follow", () => {
  const wide = Array.from({ length: 60 }, (_, index) => `c${index + 1}`).join(" | ")
  const [first = {}, far = {}] = underLetters([row(wide, 1, 1), row("far", 2, 80)])
  expect(Object.keys(first)).toHaveLength(50)
  expect(first["AW"]).toBe("c49")
  expect(first["AX…"]).toBe("c50 | c51 | c52 | c53 | c54 | c55 | c56 | c57 | c58 | c59 | c60")
  expect(far).toEqual({ "AX…": "far" })
})

// Would catch letters over texts that aren't sheets, over those read before letters were known, and letters of another sheet.
test("each sheet has its letters, which only its own rows stand under", () => {
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
