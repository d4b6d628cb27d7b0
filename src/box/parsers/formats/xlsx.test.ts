import { utils, write } from "@e965/xlsx"
import { expect, test } from "vitest"
import { ParseFailure } from "../parser.ts"
import { relationships, xlsxBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { compoundFile } from "./compound-file.ts"
import { xlsx } from "./xlsx.ts"

async function lines(bytes: Uint8Array): Promise<string[]> {
  const { blocks } = await parseBytes(xlsx, bytes, "a.xlsx")
  return blocks.map(({ kind, text, location }) => `${location.sheet}:${location.row} ${kind} ${text}`)
}

// Catches dates read as day numbers, columns under the wrong header, and rows numbered without the empty ones.
test("reads a workbook of another program: sheets, rows, numbers and dates", async () => {
  const stock = utils.aoa_to_sheet(
    [
      ["Item", "Price", "Since"],
      ["Oak", 0.1 + 0.2, new Date(Date.UTC(2024, 1, 29))],
      [],
      ["Elm", null, "today"],
    ],
    { UTC: true },
  )
  const book = utils.book_new()
  utils.book_append_sheet(book, stock, "Stock")
  utils.book_append_sheet(book, utils.aoa_to_sheet([[], [null, "only cell"], [null, true, 7]]), "Second")
  expect(await lines(write(book, { type: "buffer", bookType: "xlsx", bookSST: true }) as Buffer)).toEqual([
    "Stock:1 table-header Item | Price | Since",
    "Stock:2 table-row Oak | 0.3 | 2024-02-29",
    "Stock:4 table-row Elm | | today",
    "Second:2 table-row only cell",
    "Second:3 table-row TRUE | 7",
  ])
})

test("reads formats, shared texts with phonetic guides and raised digits, inline texts, comments and text boxes", async () => {
  const rows =
    '<row r="3"><c r="B3" t="s"><v>0</v></c><c r="C3" s="1"><v>0.256</v></c><c r="E3" t="inlineStr"><is><t>here</t></is></c></row>' +
    '<row><c t="str"><f>A1</f><v>made</v></c><c t="e"><v>#N/A</v></c></row>'
  const bytes = xlsxBytes(rows, {
    "xl/sharedStrings.xml":
      '<sst><si><r><t>東</t></r><r><t>京 10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>3</t></r><rPh><t>トウキョウ</t></rPh></si></sst>',
    "xl/styles.xml":
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.0%"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>' +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
    "xl/worksheets/_rels/sheet1.xml.rels": relationships({
      a: ["comments", "../comments1.xml"],
      b: ["drawing", "../drawings/drawing1.xml"],
    }),
    "xl/comments1.xml": '<comments><comment ref="B3"><text><r><t>Sure?</t></r></text></comment></comments>',
    "xl/drawings/drawing1.xml":
      "<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>A box</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>",
  })
  expect(await lines(bytes)).toEqual([
    "Stock:3 table-row 東京 10^3 | 25.6% | | here",
    "Stock:4 table-row made | #N/A",
    "Stock:3 paragraph Comment on B3: Sure?",
    "Stock:undefined paragraph A box",
  ])
})

/** Reads one row of numbers, each with its format. */
async function readNumbers(cells: readonly (readonly [value: string, format: string])[]): Promise<string[]> {
  const formats = cells.map(
    ([, code], index) => `<numFmt numFmtId="${200 + index}" formatCode="${code.replaceAll('"', "&quot;")}"/>`,
  )
  const styles = cells.map((_, index) => `<xf numFmtId="${200 + index}"/>`)
  const row = cells.map(([value], index) => `<c s="${index}"><v>${value}</v></c>`).join("")
  const bytes = xlsxBytes(`<row>${row}</row>`, {
    "xl/styles.xml": `<styleSheet><numFmts>${formats.join("")}</numFmts><cellXfs>${styles.join("")}</cellXfs></styleSheet>`,
  })
  const [line = ""] = await lines(bytes)
  return line.replace("Stock:1 table-row ", "").split(" | ")
}

// Catches an article number read as `4.00638E+12`, which no search finds.
test("shows whole numbers in full, and other numbers as Excel does", async () => {
  expect(
    await readNumbers([
      ["4006381333931", "General"],
      ["1.2345678901234E+16", "general"],
      ["490720020700", "@"],
      ["-12345678901234567", "General"],
      ["1.5E+20", "General"],
      ["0.30000000000000004", "General"],
      ["4006381333931", "#,##0"],
      ["6.02E+23", "0.00E+00"],
    ]),
  ).toEqual([
    "4006381333931",
    "12345678901234000",
    "490720020700",
    "-12345678901234567",
    "1.5E+20",
    "0.3",
    "4,006,381,333,931",
    "6.02E+23",
  ])
})

// Catches `3/5/24`, which is in March or in May, a date without its time, and a duration read as a date.
test("shows dates in ISO format, with a display that names the month, and times as they are", async () => {
  expect(
    await readNumbers([
      ["45356", "m/d/yy"],
      ["45356.604166667", "m/d/yy h:mm"],
      ["45356.604166667", "dd.mm.yyyy"],
      ["45356", "[$-409]d mmmm yyyy;@"],
      ["45356", "mmm-yy"],
      ["45356", 'yyyy"年"m"月"'],
      ["0.604166667", "h:mm"],
      ["1.25", "[h]:mm"],
      ["0", "m/d/yyyy"],
      ["-1", "m/d/yyyy"],
      ["2.5", '0.0" days"'],
    ]),
  ).toEqual([
    "2024-03-05",
    "2024-03-05 14:30",
    "2024-03-05",
    "2024-03-05 (5 March 2024)",
    "2024-03-05 (Mar-24)",
    "2024-03-05 (2024年3月)",
    "14:30",
    "30:00",
    "1/0/1900",
    "-1",
    "2.5 days",
  ])
})

// Catches dates of one old format that are displayed differently from those of the newer one.
test("shows numbers and dates of old workbooks in the same way", async () => {
  const sheet = utils.aoa_to_sheet([["Kettle", 4006381333931, 45356, 45356.604166667]])
  const [date, time] = ["C1", "D1"].map((address) => sheet[address] as { z?: string })
  if (date) date.z = "m/d/yy"
  if (time) time.z = "d mmm yyyy h:mm"
  const book = utils.book_new()
  utils.book_append_sheet(book, sheet, "Stock")
  const bytes = write(book, { type: "buffer", bookType: "biff8" }) as Buffer
  const { blocks } = await parseBytes(compoundFile, bytes, "a.xls")
  expect(blocks.map(({ text }) => text)).toEqual([
    "Kettle | 4006381333931 | 2024-03-05 | 2024-03-05 14:30 (5 Mar 2024 14:30)",
  ])
})

test("refuses one long text that is referenced many times", async () => {
  const rows = Array.from({ length: 1000 }, () => '<row><c t="s"><v>0</v></c></row>').join("")
  const strings = `<sst><si><t>${"x".repeat(1_000_000)}</t></si></sst>`
  await expect(lines(xlsxBytes(rows, { "xl/sharedStrings.xml": strings }))).rejects.toThrow(ParseFailure)
})

test("tolerates numbers out of range", async () => {
  const rows =
    '<row r="-1"><c r="ZZZZ9" t="s"><v>99</v></c><c r="A1"><v>5</v></c></row><row r="x"><c s="77"><v>1e999</v></c></row>'
  expect(await lines(xlsxBytes(rows))).toEqual(["Stock:1 table-row 5", "Stock:2 table-row 1e999"])
})
