import { CFB, utils, write, type BookType, type WorkSheet } from "@e965/xlsx"
import { describe, expect, test } from "vitest"
import { reasonText } from "../../../shared/contract/file-reasons.ts"
import { createMemoryFile } from "../document/document-file.ts"
import { findFormatByFileName } from "../registry.ts"
import { openDocumentBytes, relationships, xlsxBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { readXls } from "../xls/read-xls.ts"

async function read(bytes: Uint8Array, name: string, marksHidden = false) {
  const parser = (await findFormatByFileName(name)?.load?.()) ?? expect.unreachable()
  const { blocks, notes } = await parseBytes(parser, bytes, name, undefined, undefined, marksHidden)
  return {
    lines: blocks.map(({ kind, text, location: { row, column } }) => `${kind} ${row}:${column} ${text}`),
    notes,
  }
}

function workbook(sheets: Record<string, WorkSheet>, type: BookType, hidden: string[] = []): Buffer {
  const book = utils.book_new()
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name)
  const states = book.SheetNames.map((name) => ({
    Hidden: hidden.includes(name) ? (1 as const) : (0 as const),
  }))
  book.Workbook = { Sheets: states }
  return write(book, { type: "buffer", bookType: type }) as Buffer
}

const cell = (text: string, attributes = ""): string =>
  `<table:table-cell ${attributes}>${text && `<text:p>${text}</text:p>`}</table:table-cell>`
const covered = "<table:covered-table-cell/>"
const row = (cells: string, attributes = ""): string =>
  `<table:table-row ${attributes}>${cells}</table:table-row>`
const openSheets = (content: string): Buffer => openDocumentBytes("spreadsheet", content)

describe("merged cells", () => {
  const cells = [
    ["Staff of all regions"],
    ["Region", "City", "Staff", null],
    ["Piedmont", "Torino", 12, "x"],
    [null, "Novara", 7, "y"],
    [],
    ["Same", null, "z"],
  ]
  const sheet = utils.aoa_to_sheet(cells)
  sheet["!merges"] = ["A1:D1", "C2:D2", "A3:A4", "A6:B7"].map((range) => utils.decode_range(range))
  const span = (columns: number, rows: number) =>
    `table:number-columns-spanned="${columns}" table:number-rows-spanned="${rows}"`
  const open = openSheets(
    `<table:table table:name="Staff">${row(cell("Staff of all regions", span(4, 1)) + covered.repeat(3))}` +
      row(cell("Region") + cell("City") + cell("Staff", span(2, 1)) + covered) +
      row(cell("Piedmont", span(1, 2)) + cell("Torino") + cell("12") + cell("x")) +
      row(covered + cell("Novara") + cell("7") + cell("y")) +
      row(cell("")) +
      `${row(cell("Same", span(2, 2)) + covered + cell("z"))}${row(covered.repeat(2))}</table:table>`,
  )

  // Catches a city without its region, a value under the wrong column name, and a title that is repeated or hides the column names.
  test.for([
    ["xlsx", workbook({ Staff: sheet }, "xlsx")],
    ["xls", workbook({ Staff: sheet }, "biff8")],
    ["xlsb", workbook({ Staff: sheet }, "xlsb")],
    ["ods", open],
  ] as const)("repeat their value in each row and column of %s", async ([type, bytes]) => {
    expect((await read(bytes, `a.${type}`)).lines).toEqual([
      "table-row 1:1 Staff of all regions",
      "table-header 2:1 Region | City | Staff | Staff",
      "table-row 3:1 Piedmont | Torino | 12 | x",
      "table-row 4:1 Piedmont | Novara | 7 | y",
      "table-row 6:1 Same | Same | z",
    ])
  })

  // Catches merged cells of a hostile sheet that add gigabytes of text, or that are compared with every row.
  test("add a limited number of cells to a sheet", async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, index) => `<row><c><v>${index}</v></c><c><v>1</v></c></row>`,
    )
    const merged = '<mergeCell ref="A1:XFD20000"/><mergeCell ref="B1:XFD1048576"/>'.repeat(2000)
    const bytes = xlsxBytes("", {
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows.join("")}</sheetData><mergeCells>${merged}</mergeCells></worksheet>`,
    })
    const { lines } = await read(bytes, "a.xlsx")
    expect(lines).toHaveLength(20_000)
    expect(lines.join("").length).toBeLessThan(4_000_000)
  })
})

/** Bytes between the position of a sheet and its name in a BoundSheet record. */
const beforeName = 8
const toName = (name: string): Buffer => Buffer.from(name, "utf16le")

describe("hidden parts", () => {
  const left = ["1 hidden sheet was skipped.", "1 hidden row was skipped.", "1 hidden column was skipped."]
  const sheet = utils.aoa_to_sheet([
    ["Client", "Secret margin", "City"],
    ["Hidden row", "x", "Torino"],
    ["Shown row", "y", "Novara"],
  ])
  sheet["!rows"] = [{}, { hidden: true }]
  sheet["!cols"] = [{}, { hidden: true }]
  const bookSheets = { Visible: sheet, Salaries: utils.aoa_to_sheet([["Salary list", 1]]) }
  const hidden = 'table:visibility="collapse"'
  const open = openSheets(
    '<style:style style:name="ta1"><style:table-properties table:display="true"/></style:style>' +
      '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>' +
      `<table:table table:name="Visible" table:style-name="ta1"><table:table-column/><table:table-column ${hidden}/>` +
      row(cell("Client") + cell("Secret margin") + cell("City")) +
      row(cell("Hidden row") + cell("x") + cell("Torino"), hidden) +
      `${row(cell("Shown row") + cell("y") + cell("Novara"))}</table:table>` +
      `<table:table table:name="Salaries" table:style-name="ta2">${row(cell("Salary list"))}</table:table>`,
  )
  const documents = [
    ["xlsx", workbook(bookSheets, "xlsx", ["Salaries"])],
    ["xlsb", workbook(bookSheets, "xlsb", ["Salaries"])],
    ["ods", open],
  ] as const

  // Catches a secret that its author doesn't see in the document, and a file that seems to be read completely.
  test.for(documents)("are left out of %s, with a note", async ([type, bytes]) => {
    const { lines, notes } = await read(bytes, `a.${type}`)
    expect(lines).toEqual(["table-header 1:1 Client | | City", "table-row 3:1 Shown row | | Novara"])
    expect(notes).toEqual(left)
  })

  // Catches hidden parts that look like the others, or that are still missing although the folder includes them.
  test.for(documents)("are marked in %s if the folder includes them", async ([type, bytes]) => {
    const { lines, notes } = await read(bytes, `a.${type}`, true)
    expect(lines).toEqual([
      "table-header 1:1 Client | (hidden) Secret margin | City",
      "table-row 2:1 (hidden) Hidden row | x | Torino",
      "table-row 3:1 Shown row | (hidden) y | Novara",
      type === "ods" ? "table-row 1:1 (hidden) Salary list" : "table-row 1:1 (hidden) Salary list | 1",
    ])
    expect(notes).toEqual(["3 hidden parts were read and are marked “(hidden)”."])
  })

  // Catches hidden values that a query finds.
  test.for(documents)("are left out of the tables of %s", async ([type, bytes]) => {
    const reader = (await findFormatByFileName(`a.${type}`)?.sheets?.()) ?? expect.unreachable()
    const values: unknown[] = []
    for await (const { sheet, rows } of reader.read(
      { file: createMemoryFile(bytes), name: `a.${type}` },
      { note: () => {} },
    ))
      for (const { cells } of rows) values.push([sheet, ...cells])
    expect(values).toEqual([
      ["Visible", "Client", undefined, "City"],
      ["Visible", "Shown row", undefined, "Novara"],
    ])
  })

  // Catches a comment on a cell that no one sees.
  test("are left out, or marked, with their comments", async () => {
    const bytes = xlsxBytes(
      '<row r="1"><c r="A1"><v>1</v></c></row><row r="2" hidden="1"><c r="A2"><v>2</v></c></row>',
      {
        "xl/worksheets/_rels/sheet1.xml.rels": relationships({ a: ["comments", "../comments1.xml"] }),
        "xl/comments1.xml":
          '<comments><comment ref="A2"><text><t>Secret</t></text></comment><comment ref="A1"><text><t>Shown</t></text></comment></comments>',
      },
    )
    const { lines } = await read(bytes, "a.xlsx")
    expect(lines).toEqual(["table-row 1:1 1", "paragraph 1:undefined Comment on A1: Shown"])
    expect((await read(bytes, "a.xlsx", true)).lines.slice(1, 3)).toEqual([
      "table-row 2:1 (hidden) 2",
      "paragraph 2:undefined (hidden) Comment on A2: Secret",
    ])
  })

  // Catches a secret that its author doesn't see in an old workbook, and rows that no search finds because a filter hides them.
  test.for([
    [false, ["table-header 1:1 Client | | City", "table-row 3:1 Shown row | | Novara"], left],
    [
      true,
      [
        "table-header 1:1 Client | | City",
        "table-row 2:1 Hidden row | | Torino",
        "table-row 3:1 Shown row | | Novara",
      ],
      left.filter((note) => !note.includes("row")),
    ],
  ] as const)(
    "are left out of xls, unless a filter hides them: %s",
    async ([isFiltered, expected, notes]) => {
      const container = CFB.read(workbook(bookSheets, "biff8", ["Salaries"]), { type: "buffer" })
      const stream = Buffer.from(CFB.find(container, "Workbook")?.content ?? [])
      const hiddenRow = [0x08, 0x02, 16, 0, 1, ...Array<number>(11).fill(0), 0x20, 0, 0, 0]
      const added = Buffer.from([...hiddenRow, ...(isFiltered ? [0x9b, 0, 0, 0] : [])])
      const firstSheet = stream.readUInt32LE(stream.indexOf(toName("Visible")) - beforeName)
      const secondPosition = stream.indexOf(toName("Salaries")) - beforeName
      stream.writeUInt32LE(stream.readUInt32LE(secondPosition) + added.length, secondPosition)
      const afterStart = firstSheet + 4 + stream.readUInt16LE(firstSheet + 2)
      const bytes = Buffer.concat([stream.subarray(0, afterStart), added, stream.subarray(afterStart)])
      const found: string[] = []
      const texts: string[] = []
      for await (const { kind, text, location } of readXls(bytes, {
        note: (note) => found.push(reasonText(note)),
        marksHidden: false,
      }))
        texts.push(`${kind} ${location.row}:${location.column} ${text}`)
      expect(texts).toEqual(expected)
      expect(found).toEqual(notes)
    },
  )

  // Catches rows that no search finds because someone last looked at the others.
  test("aren't rows that only a filter hides", async () => {
    const rows = [1, 2, 3].map(
      (row) => `<row r="${row}" ${row > 1 ? 'hidden="1"' : ""}><c><v>${row}</v></c></row>`,
    )
    const filter = '<autoFilter ref="A1:A2"><filterColumn colId="0"><filters/></filterColumn></autoFilter>'
    const filtered = xlsxBytes("", {
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows.join("")}</sheetData>${filter}</worksheet>`,
    })
    expect((await read(filtered, "a.xlsx")).lines).toEqual(["table-row 1:1 1", "table-row 2:1 2"])
    const ofTable = xlsxBytes(rows.join(""), {
      "xl/worksheets/_rels/sheet1.xml.rels": relationships({ a: ["table", "../tables/table1.xml"] }),
      "xl/tables/table1.xml": `<table>${filter}</table>`,
    })
    expect((await read(ofTable, "a.xlsx")).lines).toEqual(["table-row 1:1 1", "table-row 2:1 2"])
    const ods = openSheets(
      `<table:table table:name="Stock">${row(cell("1"))}${row(cell("2"), 'table:visibility="filter"')}</table:table>`,
    )
    expect((await read(ods, "a.ods")).lines).toEqual(["table-row 1:1 1", "table-row 2:1 2"])
  })

  // Catches values that are lost because the row in which they are stored is hidden.
  test("show the value of merged cells in the rows that aren't hidden", async () => {
    const rows =
      '<row r="1" hidden="1"><c r="A1" t="str"><v>Piedmont</v></c></row><row r="2"><c r="B2" t="str"><v>Novara</v></c></row>'
    const bytes = xlsxBytes("", {
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData><mergeCells><mergeCell ref="A1:A2"/></mergeCells></worksheet>`,
    })
    expect((await read(bytes, "a.xlsx")).lines).toEqual(["table-row 2:1 Piedmont | Novara"])
  })
})

// Catches a total that is missing without a word about it, because the program that made the file computes nothing.
test("formulas without values are shown in ods, with a note that names their cells", async () => {
  const bytes = openSheets(
    `<table:table table:name="Sum">${row(
      cell("100") +
        cell("", 'table:formula="of:=[.A1]*1.22"') +
        cell("", 'table:formula="of:=SUM([.A1:.A1])"') +
        cell("", 'table:formula="of:=&quot;&quot;" office:value-type="string"'),
    )}</table:table>`,
  )
  const { lines, notes } = await read(bytes, "a.ods")
  expect(lines).toEqual(["table-row 1:1 100 | =A1*1.22 | =SUM(A1:A1)"])
  expect(notes).toEqual([
    expect.stringMatching(/^2 formulas have no stored value, .* were read \(Sum!B1, Sum!C1\)/),
  ])
})
