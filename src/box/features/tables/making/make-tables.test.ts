import { utils, write, type WorkBook } from "@e965/xlsx"
import { describe, expect, test } from "vitest"
import { xlsxBytes } from "../../../parsers/testing/office-files.ts"
import { madeOf } from "./testing/tables-of.ts"

/** Tables of a document as they are made, with what is in them. */
async function tablesOf(bytes: Uint8Array | string, name = "a.csv") {
  const { database, tables } = await madeOf(bytes, name)
  return tables.map((table) => ({
    ...table,
    types: Object.fromEntries(table.columns.map((column) => [column.name, column.type])),
    values: database.prepare(`SELECT * FROM "${table.key}"`).raw().all() as unknown[][],
  }))
}

async function onlyTable(bytes: Uint8Array | string, name?: string) {
  const tables = await tablesOf(bytes, name)
  expect(tables).toHaveLength(1)
  return tables[0] ?? expect.unreachable()
}

type Cells = unknown[][]
function workbook(sheets: Record<string, Cells>, change?: (book: WorkBook) => void) {
  const book = utils.book_new()
  for (const [name, cells] of Object.entries(sheets))
    utils.book_append_sheet(book, utils.aoa_to_sheet(cells, { UTC: true, cellDates: false }), name)
  change?.(book)
  return book
}
const bytesOf = (book: WorkBook, bookType: "xlsx" | "ods" | "biff8") =>
  new Uint8Array(write(book, { type: "buffer", bookType, bookSST: true }) as Buffer)

describe("numbers of texts", () => {
  // Would catch: German numbers a thousand times too large, and minus signs that get lost.
  test.each([
    ["1.234,56\n-2,5\n(3,00)\n1.000.000\n€ 7,10\n4,- €", [1234.56, -2.5, -3, 1_000_000, 7.1, 4]],
    ["1,234.56\n-2.5\n1,000,000\n$7.10\n1e3", [1234.56, -2.5, 1_000_000, 7.1, 1000]],
    ["1'234.50\n2'000\n12%", [1234.5, 2000, 0.12]],
    ["1.234\n2.500\n7,5", [1234, 2500, 7.5]],
    ["1.234\n2.500", [1.234, 2.5]],
    ["0\n-\n7\nn/a\n5-", [0, null, 7, null, -5]],
  ])("%j", async (lines, numbers) => {
    const csv = `name;amount\n${lines
      .split("\n")
      .map((line, index) => `n${index};${line}`)
      .join("\n")}\n`
    const table = await onlyTable(csv)
    expect(table.types).toEqual({ name: "text", amount: "number" })
    expect(table.values.map(([, amount]) => amount)).toEqual(numbers)
  })

  // Would catch: 1.234 read on its own, where the column beside it shows how numbers are written here.
  test("in doubt, other columns tell how a number is written", async () => {
    const table = await onlyTable("name;pieces;price\na;1.234;7,50\nb;2.000;8,25\n")
    expect(table.values).toEqual([
      ["a", 1234, 7.5],
      ["b", 2000, 8.25],
    ])
  })

  // Would catch: account numbers that lose their last digits or their first zeros.
  test("digits that name something stay as they are", async () => {
    const table = await onlyTable(
      "card,zip,phone,sum\n1234567890123456,00123,+39 0471 123,1\n9999999999999999,39100,112,2\n",
    )
    expect(table.types).toEqual({ card: "text", zip: "text", phone: "mixed", sum: "number" })
    expect(table.values[1]?.slice(0, 2)).toEqual(["9999999999999999", "39100"])
  })
})

test("dates, truths, empty columns, and names that are there twice", async () => {
  const table = await onlyTable(
    "Date;Date;Us;Done;;Nothing;Mixed\n31.12.2025;2025-01-02;12/31/2025;ja;x;;1\n1.2.2024 10:30;2025-01-03T00:00:00;1/2/2025;nein;;;two\n;;;;;;3\n",
  )
  expect(table.types).toEqual({
    Date: "date",
    Date_2: "date",
    Us: "date",
    Done: "boolean",
    column_5: "text",
    Nothing: "text",
    Mixed: "mixed",
  })
  expect(table.values).toEqual([
    ["2025-12-31", "2025-01-02", "2025-12-31", 1, "x", null, 1],
    ["2024-02-01 10:30:00", "2025-01-03", "2025-01-02", 0, null, null, "two"],
    [null, null, null, null, null, null, 3],
  ])
})

// Would catch: a column called as SQLite calls the numbers of rows, which would hold these instead of its own.
test("columns may be called as the numbers of rows are", async () => {
  const table = await onlyTable("rowid,OID,_RowId_,eur\n500,A1,7,1\n600,B2,8,2\nTotal,,,3\n")
  expect(Object.keys(table.types)).toEqual(["rowid", "OID", "_RowId__2", "eur"])
  expect(table.values).toEqual([
    [500, "A1", 7, 1],
    [600, "B2", 8, 2],
  ])
})

describe("rows that sum up", () => {
  const sums = async (csv: string) => {
    const table = await onlyTable(csv)
    return [table.rows, table.values.reduce((sum, row) => sum + Number(row[1]), 0)]
  }

  // Would catch: a total that is counted as if it were one more row.
  test.each([
    ["a total", "who;eur\nA;1\nB;2\nTotale;3\n", [2, 3]],
    ["a total that isn't right, at the end", "who;eur\nA;1\nB;2\nGesamt:;99\n", [2, 3]],
    ["subtotals", "who;eur\nA;1\nB;2\nSubtotal;3\nC;4\nSubtotal;4\nGrand Total;7\n", [3, 7]],
    ["tax between sums", "who;eur\nA;60\nB;40\nSumme;100\nMwSt. 19 %;19\nGesamt;119\n", [2, 100]],
    ["a total with a year", "who;eur\nA;1\nB;2\nTotal 2025;3\n", [2, 3]],
    ["a total without words", "who;eur\nA;1\nB;2\nC;4\n;7\n", [3, 7]],
    ["a total with a mean beside it", "who;eur;pc;rate\nA;1;5;2\nB;2;6;4\nC;4;1;3\n;7;12;3\n", [3, 7]],
    [
      "a row without a name, of which one number happens to be the sum",
      "who;eur;pc;kg\nA;1;5;2\nB;2;6;4\nC;4;1;3\n;7;8;1\n",
      [4, 14],
    ],
    ["a company that is called so", "who;eur\nTotal;10\nShell;20\nTotal;5\nEni;7\n", [4, 42]],
    ["a last row that has words of its own", "who;eur;note\nA;1;x\nB;2;y\nTotal;3;paid in May\n", [3, 6]],
  ])("%s", async (_, csv, expected) => {
    expect(await sums(csv)).toEqual(expected)
  })

  test("words among dates don't make a column mixed", async () => {
    const table = await onlyTable("day;eur\n1.1.2025;1\n2.1.2025;2\nSumme;3\n")
    expect(table.types).toEqual({ day: "date", eur: "number" })
    expect(table.rows).toBe(2)
  })
})

describe.each(["xlsx", "ods", "biff8"] as const)("a workbook as %s", (bookType) => {
  const name = { xlsx: "a.xlsx", ods: "a.ods", biff8: "a.xls" }[bookType]

  // the library writes numbers of days into OpenDocument files as numbers that are no dates
  const day = (days: number, z: string) =>
    bookType === "ods"
      ? { t: "d", v: new Date(Date.UTC(1899, 11, 30) + days * 86_400_000) }
      : { t: "n", v: days, z }

  // Would catch: titles taken for headers, two tables read as one, and values as they are shown instead of what they are.
  test("titles, several tables in a sheet, and values that aren't rounded", async () => {
    const third = 1 / 3
    const book = workbook({
      Sales: [
        ["Sales of the year"],
        [],
        ["Region", "Since", 2024, "Open"],
        ["North", day(45292, "dd/mm/yyyy"), { t: "n", v: third, z: "0.0" }, true],
        ["South", day(45293.5, "yyyy-mm-dd hh:mm"), { t: "n", v: 2000, z: "#,##0" }, false],
        ["Total", null, { t: "n", v: 2000 + third, z: "0.0" }],
        [],
        ["Product", "Pieces"],
        ["Oak", 3],
        ["Elm", 4],
      ],
      Notes: [["Only words here"]],
    })
    const [sales, products, ...others] = await tablesOf(bytesOf(book, bookType), name)
    expect(others).toEqual([])
    expect(sales).toMatchObject({
      sheet: "Sales",
      rows: 2,
      types: { Region: "text", Since: "date", 2024: "number", Open: "boolean" },
      values: [
        ["North", "2024-01-01", third, 1],
        ["South", "2024-01-02 12:00:00", 2000, 0],
      ],
    })
    expect(products).toMatchObject({
      sheet: "Sales",
      rows: 2,
      values: [
        ["Oak", 3],
        ["Elm", 4],
      ],
    })
  })

  // Would catch: a total before an empty row that counts, and what stands under a title of its own read as more of the same rows.
  test("what follows under a title is another table, and sums without words before it don't count", async () => {
    const book = workbook({
      Claims: [
        ["Month", 0, 1, 2, 3, "Claims"],
        ["May", 1, 2, 3, 4, 10],
        ["June", 5, 6, 7, 8, 26],
        ["July", 1, 1, 1, 1, 4],
        [null, 7, 9, 11, 13, 40],
        [],
        ["SUMMARY:"],
        ["Item", "Value"],
        ["Claims", 40],
        ["Premiums", 50],
        [],
        ["Later"],
        ["Taxes", 9],
      ],
    })
    const [claims, summary, ...others] = await tablesOf(bytesOf(book, bookType), name)
    expect(others).toEqual([])
    expect(claims?.columns.map(({ name }) => name)).toEqual(["Month", "0", "1", "2", "3", "Claims"])
    expect(claims?.values.map((row) => row[5])).toEqual([10, 26, 4])
    // a title alone begins nothing: rows of the same columns go on below it
    expect(summary?.values).toEqual([
      ["Claims", 40],
      ["Premiums", 50],
      ["Later", null],
      ["Taxes", 9],
    ])
  })

  // Would catch: suppliers without a name in all rows but the first of their merged cells, and merged numbers counted twice.
  test("cells that are merged say of each row what they say of the first", async () => {
    const cells = [
      ["Who", "What", "Eur"],
      ["Rossi", "a", 10],
      [null, "b", null],
      ["Bianchi", "c", 5],
    ]
    const book = workbook({ One: cells }, ({ Sheets: { One: sheet } }) => {
      if (sheet) sheet["!merges"] = [utils.decode_range("A2:A3"), utils.decode_range("C2:C3")]
    })
    const table = await onlyTable(bytesOf(book, bookType), name)
    expect(table.values).toEqual([
      ["Rossi", "a", 10],
      ["Rossi", "b", null],
      ["Bianchi", "c", 5],
    ])
  })
})

// Would catch: a column judged by its first rows alone, and rows written under that judgement left as they were.
test("what comes late in a table changes how all of it is read", async () => {
  const rows = Array.from(
    { length: 3000 },
    (_, index) => `n${index};1.${String(index % 1000).padStart(3, "0")};x`,
  )
  const csv = `name;amount;code\n${rows.join("\n")}\nlate;7,25;x\nlast;1;x;more\n`
  const table = await onlyTable(csv)
  expect(table.types).toEqual({ name: "text", amount: "number", code: "text", column_4: "text" })
  expect(table.values.at(-2)?.[1]).toBe(7.25)
  expect(table.values[5]?.[1]).toBe(1005)
  expect(table.rows).toBe(3002)
})

// Would catch: a small workbook of so many columns, or of a sheet with so long a name, that whoever asks about its folder is kept
// from everything else while they are read.
test("a document's tables are told in few words", async () => {
  const wide = Array.from({ length: 1000 }, (_, column) => `w${column}`)
  const tableOf = [wide, wide.map((_, column) => column), []]
  const cells = Array.from({ length: 12 }, () => tableOf).flat()
  const bytes = xlsxBytes(
    cells
      .map((row, index) => {
        const written = row.map((cell) => `<c t="str"><v>${cell}</v></c>`)
        return written.length > 0 ? `<row r="${index + 1}">${written.join("")}</row>` : ""
      })
      .join(""),
    {
      "xl/workbook.xml": `<workbook><sheets><sheet name="${"s".repeat(100_000)}" r:id="rId1"/></sheets></workbook>`,
    },
  )
  const { tables } = await madeOf(bytes, "a.xlsx")
  expect(tables.map(({ columns }) => columns.length)).toEqual(Array.from({ length: 10 }, () => 1000))
  expect(tables[0]?.sheet).toHaveLength(200)
})
