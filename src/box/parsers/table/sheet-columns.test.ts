import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { read, utils, write, type BookType, type WorkBook } from "@e965/xlsx"
import { describe, expect, test } from "vitest"
import { cellBorder } from "../../../shared/words/words.ts"
import type { Block } from "../parser.ts"
import { csv } from "../formats/csv.ts"
import { findFormatByFileName } from "../registry.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { xlsxBytes } from "../testing/office-files.ts"

const documents = fileURLToPath(new URL("../../../../../shared/corpus/documents/", import.meta.url))

async function readBlocks(bytes: Uint8Array, name: string): Promise<Block[]> {
  const parser = (await findFormatByFileName(name)?.load?.()) ?? expect.unreachable()
  return (await parseBytes(parser, bytes, name)).blocks
}

/** Returns the cells of rows with a column, by sheet and address, counted as a reader of the text would. */
function cellsByAddress(blocks: readonly Block[]): Map<string, string> {
  const cells = new Map<string, string>()
  for (const { text, location } of blocks) {
    const { sheet, row = 0, column } = location
    if (column === undefined) continue
    for (const [index, cell] of text.split(cellBorder).entries())
      if (cell !== "") cells.set(`${sheet}!${utils.encode_cell({ r: row - 1, c: column - 1 + index })}`, cell)
  }
  return cells
}

/** Returns the addresses at which another reader finds neither a cell nor a part of merged cells. */
function addressesWithoutCell(blocks: readonly Block[], book: WorkBook): string[] {
  return [...cellsByAddress(blocks).keys()].filter((address) => {
    const [sheet = "", cell = ""] = address.split("!")
    const { r, c } = utils.decode_cell(cell)
    const isMerged = book.Sheets[sheet]?.["!merges"]?.some(
      ({ s: start, e: end }) => r >= start.r && r <= end.r && c >= start.c && c <= end.c,
    )
    return isMerged !== true && book.Sheets[sheet]?.[cell] === undefined
  })
}

const book = utils.book_new()
utils.book_append_sheet(
  book,
  utils.aoa_to_sheet([
    [null, null, "late", "x"],
    [null, "Item", null, "Price"],
    ["a", null, null, null, "e"],
    ["far", ...Array<null>(70).fill(null), "end"],
    ["p | q", "r"],
    ["a|b", "c"],
  ]),
  "Stock",
)

// Catches letters that are off by one or counted from the first filled cell, and a column for text in which cells can't be counted.
test.for(["xlsx", "xls", "ods"] as const)(
  "cells of %s can be counted from their row's column",
  async (type) => {
    const bookType: BookType = type === "xls" ? "biff8" : type
    const blocks = await readBlocks(write(book, { type: "buffer", bookType }) as Buffer, `a.${type}`)
    expect(blocks.map(({ location: { row, column } }) => [row, column])).toEqual([
      [1, 3],
      [2, 2],
      [3, 1],
      [4, undefined],
      [5, undefined],
      [6, 1],
    ])
    expect(Object.fromEntries(cellsByAddress(blocks))).toEqual({
      "Stock!C1": "late",
      "Stock!D1": "x",
      "Stock!B2": "Item",
      "Stock!D2": "Price",
      "Stock!A3": "a",
      "Stock!E3": "e",
      "Stock!A6": "a|b",
      "Stock!B6": "c",
    })
  },
)

test("values start in the first column, and only the first block of a very long row has a column", async () => {
  const long = Array.from({ length: 900 }, (_, index) => `cell ${index}`).join(",")
  const { blocks } = await parseBytes(csv, `a,b\n,c\n${long}\n`, "a.csv")
  expect(blocks.slice(0, 3).map(({ location: { column } }) => column)).toEqual([1, 1, 1])
  expect(blocks.length).toBeGreaterThan(3)
  expect(blocks.slice(3).every(({ location: { row, column } }) => row === 3 && column === undefined)).toBe(
    true,
  )
})

// Catches a location that the box rejects, so that no row of a hostile sheet has a location.
test.for([
  ["an address without letters", '<c r="1"><v>7</v></c>'],
  ["cells in the wrong order", '<c r="C1"><v>7</v></c><c r="A1"><v>8</v></c>'],
  ["an address beyond the last column", '<c r="ZZZ1"><v>7</v></c>'],
])("%s has no column", async ([, cells]) => {
  const [block] = await readBlocks(xlsxBytes(`<row r="1">${cells}</row>`), "a.xlsx")
  expect(block?.location).toEqual({ sheet: "Stock", row: 1 })
})

const real = [
  "15228.xls",
  "sample.xlsx",
  "testEXCEL_dateFormats.xlsx",
  "WithVariousData.xlsx",
  "SampleSS.ods",
  "AutoFilter.ods",
]

describe("real sheets", { tags: "corpus" }, () => {
  test.for(real)("%s", async (name) => {
    const bytes = readFileSync(documents + name)
    const blocks = await readBlocks(bytes, name)
    expect(cellsByAddress(blocks).size).toBeGreaterThan(0)
    expect(addressesWithoutCell(blocks, read(bytes))).toEqual([])
  })
})
