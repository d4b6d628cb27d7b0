import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { xlsx } from "../formats/xlsx.ts"
import { createDocumentReader } from "../process/document-reader.ts"
import { relationships, xlsxBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const number = (value: number | string) => `<c><v>${value}</v></c>`
const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
const formula = (value: string, style = 0) => `<c s="${style}"><f>${value}</f></c>`
const row = (...cells: string[]) => `<row>${cells.join("")}</row>`

async function read(rows: string, parts: Record<string, string> = {}) {
  const { blocks, notes } = await parseBytes(xlsx, xlsxBytes(rows, parts), "a.xlsx")
  return { lines: blocks.map((block) => block.text), notes }
}

const notComputed = (count: string, places: string) =>
  `${count} formulas have no stored value, so the formulas themselves were read (${places}). Open the file in a spreadsheet program and save it again.`

describe("formulas without stored values", () => {
  // Catches formulas that no search finds by their result, results in another format than the sheet's, and texts that become numbers.
  test("are computed from the other cells and sheets, and shown as the sheet shows them", async () => {
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.00%"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    const sheets =
      '<workbook><sheets><sheet name="Bob\'s stock" sheetId="1" r:id="rId1"/><sheet name="Sheet1" sheetId="2" r:id="rId4"/></sheets></workbook>'
    const { lines, notes } = await read(
      row(text("Net"), text("Tax"), text("Gross"), text("Due")) +
        row(number(100), number("0.22"), formula("ROUND(A2*(1+B2),2)"), formula("DATE(2024,3,5)", 2)) +
        row(number(50), number("0.1"), formula("A3*(1+B3)"), formula("D2+30", 2)) +
        row(
          formula("SUM(A2:A3)"),
          formula("C2/A2-1", 1),
          formula("SUM(C:C)"),
          formula("IF(A4&gt;100,&quot;big&quot;,&quot;small&quot;)"),
        ) +
        row(text("007"), formula("A5&amp;&quot;x&quot;"), formula("Sheet1!A1*3"), formula("A4=150")),
      {
        "xl/workbook.xml": sheets,
        "xl/styles.xml": styles,
        "xl/worksheets/sheet2.xml": `<worksheet><sheetData>${row(number(7), formula("'Bob''s stock'!A2+1"))}</sheetData></worksheet>`,
        "xl/_rels/workbook.xml.rels": relationships({
          rId1: ["worksheet", "worksheets/sheet1.xml"],
          rId3: ["styles", "styles.xml"],
          rId4: ["worksheet", "worksheets/sheet2.xml"],
        }),
      },
    )
    expect(lines).toEqual([
      "Net | Tax | Gross | Due",
      "100 | 0.22 | 122 | 2024-03-05",
      "50 | 0.1 | 55 | 2024-04-04",
      "150 | 22.00% | =SUM(C:C) | big",
      "007 | 007x | 21 | TRUE",
      "7 | 101",
    ])
    expect(notes).toEqual([
      expect.stringContaining("(Bob's stock!C4)"),
      "11 formulas have no stored value and were computed by Casella.",
    ])
  })

  // Catches a value that is wrong because another formula, which it depends on, isn't computed, and an error that is shown as a value.
  test("are read as formulas if one of them isn't known, and named by their place", async () => {
    for (const unknown of ["TODAY()", "FOO(1)", "Rate*2", "[1]Other!A1", "OFFSET(A1,0,0,9999,9999)"]) {
      const rows =
        row(number(1), formula("A1+1"), formula(unknown)) + row(number(2), formula("IFERROR(C1,0)"))
      const { lines, notes } = await read(rows)
      expect(lines).toEqual([`1 | =A1+1 | =${unknown}`, "2 | =IFERROR(C1,0)"])
      expect(notes).toEqual([notComputed("3", "Stock!B1:B2, Stock!C1")])
    }
    const { lines, notes } = await read(row(number(0), formula("1/A1"), formula("A1+2")))
    expect(lines).toEqual(["0 | =1/A1 | 2"])
    expect(notes).toEqual([
      expect.stringContaining("(Stock!B1)"),
      "1 formula has no stored value and was computed by Casella.",
    ])
  })
})

describe("a hostile workbook", () => {
  // Catches the engine's crash that fails the file, or that leaves later files without results.
  test("whose references are too deep for the engine doesn't affect the next one", async () => {
    const last = 9000
    const chain = Array.from({ length: last }, (_, index) => row(formula(`A${index + 2}+1`))).join("")
    const { lines } = await read(chain + row(number(1)))
    expect(lines).toHaveLength(last + 1)
    expect((await read(row(number(1), formula("A1+1")))).lines).toEqual(["1 | 2"])
  })

  // Catches formulas that keep the reader busy for longer than a document may take.
  test("isn't computed if its formulas refer to too many cells, or are nested too deeply", async () => {
    const filled = Array.from({ length: 2000 }, () => row(number(1), formula("SUM(A$1:A$2000)"))).join("")
    const started = process.cpuUsage()
    expect((await read(filled)).lines[0]).toBe("1 | =SUM(A$1:A$2000)")
    const nested = `${"(".repeat(900)}A1${")".repeat(900)}`
    expect((await read(row(number(1), formula(nested)))).lines).toEqual([`1 | =${nested}`])
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1000).toBeLessThan(5000)
  })
})

// Catches an engine that the parser process may not open, so that formulas are computed only in other tests.
test("formulas are computed in the parser process", async () => {
  const directory = await mkdtemp(join(tmpdir(), "formulas-"))
  const path = join(directory, "a.xlsx")
  await writeFile(path, xlsxBytes(row(number(2), number(3), formula("A1*B1"))))
  try {
    await using reader = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger, slots: 1 })
    const texts: string[] = []
    for await (const block of reader.read({ path, name: "a.xlsx" })) texts.push(block.text)
    expect(texts).toEqual(["2 | 3 | 6"])
  } finally {
    await rm(directory, { recursive: true })
  }
})
