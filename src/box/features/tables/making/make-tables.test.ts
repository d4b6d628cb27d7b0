import { utils, write, type WorkBook } from "@e965/xlsx"
import { describe, expect, test } from "vitest"
import { xlsxBytes } from "../../../parsers/testing/office-files.ts"
import { makeStoredTables } from "./testing/tables-of.ts"

/** Creates the tables of a document and reads their content. */
async function getTables(bytes: Uint8Array | string, name = "a.csv") {
  const { database, tables } = await makeStoredTables(bytes, name)
  return tables.map((table) => ({
    ...table,
    types: Object.fromEntries(table.columns.map((column) => [column.name, column.type])),
    values: database.prepare(`SELECT * FROM "${table.key}"`).raw().all() as unknown[][],
  }))
}

async function makeSingleTable(bytes: Uint8Array | string, name?: string) {
  const tables = await getTables(bytes, name)
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
const getBytes = (book: WorkBook, bookType: "xlsx" | "ods" | "biff8") =>
  new Uint8Array(write(book, { type: "buffer", bookType, bookSST: true }) as Buffer)

describe("numbers in texts", () => {
  // Catches German numbers read a thousand times too large, and lost minus signs.
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
    const table = await makeSingleTable(csv)
    expect(table.types).toEqual({ name: "text", amount: "number" })
    expect(table.values.map(([, amount]) => amount)).toEqual(numbers)
  })

  // Catches 1.234 read in isolation although the next column shows how numbers are written.
  test("uses other columns to read an ambiguous number", async () => {
    const table = await makeSingleTable("name;pieces;price\na;1.234;7,50\nb;2.000;8,25\n")
    expect(table.values).toEqual([
      ["a", 1234, 7.5],
      ["b", 2000, 8.25],
    ])
  })

  // Catches account numbers that lose their last digits or leading zeros.
  test("keeps digits that are identifiers unchanged", async () => {
    const table = await makeSingleTable(
      "card,zip,phone,sum\n1234567890123456,00123,+39 0471 123,1\n9999999999999999,39100,112,2\n",
    )
    expect(table.types).toEqual({ card: "text", zip: "text", phone: "mixed", sum: "number" })
    expect(table.values[1]?.slice(0, 2)).toEqual(["9999999999999999", "39100"])
  })
})

test("reads dates, booleans, empty columns and duplicate column names", async () => {
  const table = await makeSingleTable(
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

// Catches a column named like SQLite's row number that returns row numbers instead of its own values.
test("allows columns named like SQLite's row number", async () => {
  const table = await makeSingleTable("rowid,OID,_RowId_,eur\n500,A1,7,1\n600,B2,8,2\nTotal,,,3\n")
  expect(Object.keys(table.types)).toEqual(["rowid", "OID", "_RowId__2", "eur"])
  expect(table.values).toEqual([
    [500, "A1", 7, 1],
    [600, "B2", 8, 2],
  ])
})

describe("total rows", () => {
  const sums = async (csv: string) => {
    const table = await makeSingleTable(csv)
    return [table.rows, table.values.reduce((sum, row) => sum + Number(row[1]), 0)]
  }

  // Catches a total that is stored as an ordinary row.
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

  test("keeps a date column's type when a total row has a word in it", async () => {
    const table = await makeSingleTable("day;eur\n1.1.2025;1\n2.1.2025;2\nSumme;3\n")
    expect(table.types).toEqual({ day: "date", eur: "number" })
    expect(table.rows).toBe(2)
  })
})

describe.each(["xlsx", "ods", "biff8"] as const)("a workbook as %s", (bookType) => {
  const name = { xlsx: "a.xlsx", ods: "a.ods", biff8: "a.xls" }[bookType]

  // The library writes day numbers into OpenDocument files as plain numbers, not as dates.
  const day = (days: number, z: string) =>
    bookType === "ods"
      ? { t: "d", v: new Date(Date.UTC(1899, 11, 30) + days * 86_400_000) }
      : { t: "n", v: days, z }

  // Catches titles taken for headers, two tables read as one, and displayed values stored instead of the real ones.
  test("reads titles, several tables in a sheet, and unrounded values", async () => {
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
    const [sales, products, ...others] = await getTables(getBytes(book, bookType), name)
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

  // Catches a total before an empty row that is stored as a row, and a separately titled table read as part of the previous one.
  test("starts another table below a title and excludes unlabelled totals", async () => {
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
    const [claims, summary, ...others] = await getTables(getBytes(book, bookType), name)
    expect(others).toEqual([])
    expect(claims?.columns.map(({ name }) => name)).toEqual(["Month", "0", "1", "2", "3", "Claims"])
    expect(claims?.values.map((row) => row[5])).toEqual([10, 26, 4])
    // A title alone doesn't start a table: rows with the same columns continue below it.
    expect(summary?.values).toEqual([
      ["Claims", 40],
      ["Premiums", 50],
      ["Later", null],
      ["Taxes", 9],
    ])
  })

  // Catches supplier names missing from all but the first row of merged cells, and merged numbers counted twice.
  test("repeats a merged cell's text in each of its rows", async () => {
    const cells = [
      ["Who", "What", "Eur"],
      ["Rossi", "a", 10],
      [null, "b", null],
      ["Bianchi", "c", 5],
    ]
    const book = workbook({ One: cells }, ({ Sheets: { One: sheet } }) => {
      if (sheet) sheet["!merges"] = [utils.decode_range("A2:A3"), utils.decode_range("C2:C3")]
    })
    const table = await makeSingleTable(getBytes(book, bookType), name)
    expect(table.values).toEqual([
      ["Rossi", "a", 10],
      ["Rossi", "b", null],
      ["Bianchi", "c", 5],
    ])
  })
})

// Catches a column typed by its first rows only, and rows that keep that type after later rows contradict it.
test("reads the whole table again when later rows contradict the first ones", async () => {
  const rows = Array.from(
    { length: 3000 },
    (_, index) => `n${index};1.${String(index % 1000).padStart(3, "0")};x`,
  )
  const csv = `name;amount;code\n${rows.join("\n")}\nlate;7,25;x\nlast;1;x;more\n`
  const table = await makeSingleTable(csv)
  expect(table.types).toEqual({ name: "text", amount: "number", code: "text", column_4: "text" })
  expect(table.values.at(-2)?.[1]).toBe(7.25)
  expect(table.values[5]?.[1]).toBe(1005)
  expect(table.rows).toBe(3002)
})

// Catches a small workbook whose many columns or very long sheet name block everything else while they are read.
test("limits the size of the description of a document's tables", async () => {
  const wide = Array.from({ length: 1000 }, (_, column) => `w${column}`)
  const getTable = [wide, wide.map((_, column) => column), []]
  const cells = Array.from({ length: 12 }, () => getTable).flat()
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
  const { tables } = await makeStoredTables(bytes, "a.xlsx")
  expect(tables.map(({ columns }) => columns.length)).toEqual(Array.from({ length: 10 }, () => 1000))
  expect(tables[0]?.sheet).toHaveLength(200)
})
