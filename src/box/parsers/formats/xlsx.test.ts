import { utils, write } from "@e965/xlsx"
import { expect, test } from "vitest"
import { ParseFailure } from "../parser.ts"
import { relationships, xlsxBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { xlsx } from "./xlsx.ts"

async function lines(bytes: Uint8Array): Promise<string[]> {
  const { blocks } = await parseBytes(xlsx, bytes, "a.xlsx")
  return blocks.map(({ kind, text, location }) => `${location.sheet}:${location.row} ${kind} ${text}`)
}

// Catches dates read as day numbers, columns under the wrong header, and rows numbered without the empty ones.
test("reads a workbook of another program: sheets, rows, numbers as displayed", async () => {
  const stock = utils.aoa_to_sheet([
    ["Item", "Price", "Since"],
    ["Oak", 0.1 + 0.2, new Date(Date.UTC(2024, 1, 29))],
    [],
    ["Elm", null, "today"],
  ])
  const book = utils.book_new()
  utils.book_append_sheet(book, stock, "Stock")
  utils.book_append_sheet(book, utils.aoa_to_sheet([[], [null, "only cell"], [null, true, 7]]), "Second")
  expect(await lines(write(book, { type: "buffer", bookType: "xlsx", bookSST: true }) as Buffer)).toEqual([
    "Stock:1 table-header Item | Price | Since",
    "Stock:2 table-row Oak | 0.3 | 2/29/24",
    "Stock:4 table-row Elm | | today",
    "Second:2 table-row only cell",
    "Second:3 table-row TRUE | 7",
  ])
})

test("reads formats, shared texts with phonetic guides, inline texts, comments and text boxes", async () => {
  const rows =
    '<row r="3"><c r="B3" t="s"><v>0</v></c><c r="C3" s="1"><v>0.256</v></c><c r="E3" t="inlineStr"><is><t>here</t></is></c></row>' +
    '<row><c t="str"><f>A1</f><v>made</v></c><c t="e"><v>#N/A</v></c></row>'
  const bytes = xlsxBytes(rows, {
    "xl/sharedStrings.xml":
      "<sst><si><r><t>東</t></r><r><t>京</t></r><rPh><t>トウキョウ</t></rPh></si></sst>",
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
    "Stock:3 table-row 東京 | 25.6% | | here",
    "Stock:4 table-row made | #N/A",
    "Stock:3 paragraph Comment on B3: Sure?",
    "Stock:undefined paragraph A box",
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
