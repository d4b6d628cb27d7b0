import { utils, write } from "@e965/xlsx"
import { expect, test } from "vitest"
import { compoundFile } from "../formats/compound-file.ts"
import { ods, odsSheets } from "../formats/open-document.ts"
import { xlsb } from "../formats/xlsb.ts"
import { xlsx } from "../formats/xlsx.ts"
import { createMemoryFile } from "../document/document-file.ts"
import { compoundBytes } from "../testing/compound-files.ts"
import { openDocumentBytes, relationships, xlsxBytes, zipBytes } from "../testing/office-files.ts"
import { createRandom, mutate, parseBytes } from "../testing/parse-bytes.ts"
import { xlsbParts } from "../testing/xlsb-parts.ts"
import { binaryRecords } from "../xlsb/binary-records.ts"
import { markShiftedTexts } from "../xlsb/shifted-texts.ts"
import { ShiftedTexts } from "../xls/shifted-texts.ts"

const short = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer)
const long = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)
const record = (type: number, ...parts: Buffer[]) => {
  const content = Buffer.concat(parts)
  return Buffer.concat([short(type, content.length), content])
}
const font = (shift: number) => record(0x31, short(200, 0, 0x7fff, 400, shift, 0, 0), Buffer.of(1, 0, 0x41))
/** A text with runs of fonts, in 8-bit or 16-bit characters. */
const richText = (text: string, runs: readonly (readonly [start: number, font: number])[], isWide = false) =>
  Buffer.concat([
    short(text.length),
    Buffer.of((isWide ? 1 : 0) | (runs.length > 0 ? 8 : 0)),
    ...(runs.length > 0 ? [short(runs.length)] : []),
    Buffer.from(text, isWide ? "utf16le" : "latin1"),
    ...runs.map((run) => short(...run)),
  ])

/** A workbook of Excel 97 whose table of texts is in these parts. */
function xlsBytes(texts: readonly Buffer[], count: number): Buffer {
  const start = (kind: number) => record(0x809, short(0x600, kind, 0, 0), long(0, 0))
  const globals = (sheetAt: number) =>
    Buffer.concat([
      start(5),
      record(0x42, short(1200)),
      // Fonts are numbered from 0 without 4.
      ...[0, 0, 0, 0, 1, 2].map(font),
      record(0x85, long(sheetAt), Buffer.of(0, 0, 5, 0), Buffer.from("Stock")),
      ...texts.map((part, index) => record(index === 0 ? 0xfc : 0x3c, part)),
      record(0x0a),
    ])
  const cells = Array.from({ length: count }, (_, row) => record(0xfd, short(row, 0, 0), long(row)))
  return compoundBytes({
    Workbook: Buffer.concat([globals(globals(0).length), start(0x10), ...cells, record(0x0a)]),
  })
}

const raised = [
  richText("103 m", [
    [2, 5],
    [3, 0],
  ]),
  richText("103 plain", []),
  richText(
    "Zażółć 21/2",
    [
      [8, 5],
      [9, 0],
      [10, 6],
    ],
    true,
  ),
]
const expectedTexts = ["10^3 m", "103 plain", "Zażółć 2 1/2"]

// Catches powers that become part of a number, also where the table of texts continues in another record.
test("raised and lowered digits stand apart in xls", async () => {
  const table = Buffer.concat([long(3, 3), ...raised])
  expect((await parseBytes(compoundFile, xlsBytes([table], 3), "a.xls")).text.split("\n")).toEqual(
    expectedTexts,
  )
  const inText = 8 + 5 + 3
  const parts = [table.subarray(0, inText), Buffer.concat([Buffer.of(0), table.subarray(inText)])]
  expect((await parseBytes(compoundFile, xlsBytes(parts, 3), "a.xls")).text.split("\n")).toEqual(
    expectedTexts,
  )
})

const wide = (text: string) => Buffer.concat([long(text.length), Buffer.from(text, "utf16le")])
const item = (text: string, runs: readonly (readonly [start: number, font: number])[]) => {
  const content = Buffer.concat([
    Buffer.of(runs.length > 0 ? 1 : 0),
    wide(text),
    ...(runs.length > 0 ? [long(runs.length), ...runs.map((run) => short(...run))] : []),
  ])
  return Buffer.concat([Buffer.of(19, content.length), content])
}

test("raised and lowered digits stand apart in xlsb", async () => {
  const book = utils.book_new()
  const sheet = utils.aoa_to_sheet([["a"], ["b"], ["c"]])
  sheet["A2"].l = { Target: "https://example.org/terms" }
  utils.book_append_sheet(book, sheet, "Stock")
  const parts = xlsbParts(book)
  const styles = parts["xl/styles.bin"] ?? Buffer.alloc(0)
  const first = Array.from(binaryRecords(styles)).find(({ type }) => type === 43)
  if (!first) throw new Error("no font")
  const shifted = [1, 2].map((shift) => {
    const copy = Buffer.from(styles.subarray(first.at, first.end))
    copy.writeUInt16LE(shift, first.start - first.at + 6)
    return copy
  })
  const bytes = zipBytes({
    ...parts,
    "xl/styles.bin": Buffer.concat([styles.subarray(0, first.end), ...shifted, styles.subarray(first.end)]),
    "xl/sharedStrings.bin": Buffer.concat([
      Buffer.from([0x9f, 0x01, 8]),
      long(3, 3),
      item("103 m", [
        [2, 1],
        [3, 0],
      ]),
      item("103 plain", []),
      item("Zażółć 21/2", [
        [8, 1],
        [9, 0],
        [10, 2],
      ]),
      Buffer.from([0xa0, 0x01, 0]),
    ]),
  })
  expect((await parseBytes(xlsb, bytes, "a.xlsb")).text.split("\n")).toEqual([
    "10^3 m",
    "103 plain (https://example.org/terms)",
    "Zażółć 2 1/2",
  ])
})

// Catches damaged tables of texts that end with an internal error or never.
test("damaged tables of texts", () => {
  const random = createRandom(3)
  const table = Buffer.concat([long(3, 3), ...raised])
  const items = Buffer.concat([item("103 m", [[2, 1]]), item("x".repeat(40), [])])
  for (let round = 0; round < 500; round++) {
    const texts = new ShiftedTexts()
    for (const shift of [0, 0, 0, 0, 1]) texts.addFont(font(shift).subarray(4))
    const cut = random(table.length)
    texts.table.push(mutate(table.subarray(0, cut + 1), random), mutate(table.subarray(cut), random))
    expect(texts.get(9999)).toBeUndefined()
    expect(markShiftedTexts(mutate(items, random), [undefined, "raised"]).length).toBeLessThan(200)
  }
})

const target = "https://example.org/terms"

// Catches links of cells whose target no search finds, and targets in the values of tables.
test("targets of links follow the texts of cells", async () => {
  const expected = ["Terms", `our terms (${target})`, "example.org/terms"]
  const sheet = utils.aoa_to_sheet([["Terms"], ["our terms"], ["example.org/terms"]])
  for (const cell of ["A2", "A3"]) sheet[cell].l = { Target: target }
  const book = utils.book_new()
  utils.book_append_sheet(book, sheet, "Stock")
  const xls = write(book, { type: "buffer", bookType: "biff8" }) as Buffer
  expect((await parseBytes(compoundFile, xls, "a.xls")).text.split("\n")).toEqual(expected)
  const inline = (row: number, text: string) =>
    `<row r="${row}"><c r="A${row}" t="inlineStr"><is><t>${text}</t></is></c></row>`
  const rows = ["Terms", "our terms", "example.org/terms"].map((text, index) => inline(index + 1, text))
  const links = `<hyperlinks><hyperlink ref="A1" location="Stock!A2"/><hyperlink ref="A2" r:id="r1"/><hyperlink xr:uid="1" ref="A3:B3" r:id="r1"/></hyperlinks>`
  const xlsxFile = xlsxBytes("", {
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows.join("")}</sheetData>${links}</worksheet>`,
    "xl/worksheets/_rels/sheet1.xml.rels": relationships({ r1: ["hyperlink", target] }).replace(
      "/>",
      ' TargetMode="External"/>',
    ),
  })
  expect((await parseBytes(xlsx, xlsxFile, "a.xlsx")).text.split("\n")).toEqual(expected)
  const cell = (content: string) =>
    `<table:table-row><table:table-cell office:value-type="string"><text:p>${content}</text:p></table:table-cell></table:table-row>`
  const link = (text: string) => `<text:a xlink:href="${target}">${text}</text:a>`
  const odsFile = openDocumentBytes(
    "spreadsheet",
    `<table:table table:name="Stock">${cell("Terms")}${cell(link("our terms"))}${cell(link("example.org/terms"))}</table:table>`,
  )
  expect((await parseBytes(ods, odsFile, "a.ods")).text.split("\n")).toEqual(expected)
  const values: unknown[] = []
  const input = { file: createMemoryFile(odsFile), name: "a.ods" }
  for await (const { rows: read } of odsSheets.read(input, { note: () => undefined }))
    values.push(...read.map(({ cells }) => cells[0]))
  expect(values).toEqual(["Terms", "our terms", "example.org/terms"])
})
