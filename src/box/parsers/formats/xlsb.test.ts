import { utils, write } from "@e965/xlsx"
import { expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { createMemoryFile } from "../document/document-file.ts"
import { zipBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { xlsb, xlsbSheets } from "./xlsb.ts"

const sheet = utils.aoa_to_sheet(
  [
    ["Account", "Since", "Share"],
    [1234567890123456, new Date(Date.UTC(2024, 2, 5)), 0.5],
  ],
  { UTC: true },
)
sheet["A2"].c = [{ a: "Ada", t: "Closed" }]
const book = utils.book_new()
utils.book_append_sheet(book, sheet, "Stock")
const bytes = write(book, { type: "buffer", bookType: "xlsb" }) as Buffer

// Catches numbers in the form 1.23457E+15, dates as day numbers, and lost comments.
test("reads binary workbooks as Excel shows them, with full numbers and ISO dates", async () => {
  const { blocks } = await parseBytes(xlsb, bytes, "a.xlsb")
  expect(blocks.map(({ text, location }) => [text, location.sheet, location.row])).toEqual([
    ["Account | Since | Share", "Stock", 1],
    ["1234567890123456 | 2024-03-05 | 0.5", "Stock", 2],
    ["Comment: Closed", "Stock", 2],
  ])
  const values: unknown[] = []
  const input = { file: createMemoryFile(bytes), name: "a.xlsb" }
  for await (const { rows } of xlsbSheets.read(input, { note: () => {} })) values.push(...rows)
  expect(values.at(-1)).toEqual({ row: 2, cells: ["1234567890123456", { date: "2024-03-05" }, 0.5] })
})

// Catches archives that are taken for workbooks, and workbooks for archives.
test("is recognised by its extension, and fails without a workbook", async () => {
  expect(await detectUpload(bytes, "a.xlsb", "full")).toMatchObject({ format: { name: "xlsb" } })
  await expect(parseBytes(xlsb, zipBytes({ "a.txt": "b" }), "a.xlsb")).rejects.toThrow(
    "isn't a valid Excel workbook",
  )
  const damaged = zipBytes({ "xl/workbook.bin": "b", "[Content_Types].xml": "c" })
  await expect(parseBytes(xlsb, damaged, "a.xlsb")).rejects.toThrow(".")
})
