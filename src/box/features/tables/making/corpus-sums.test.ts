import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { read, SSF, type CellObject, type WorkSheet } from "@e965/xlsx"
import { expect, test } from "vitest"
import { quoted } from "./table-writer.ts"
import { makeStoredTables } from "./testing/tables-of.ts"

// Compares the tables of real sheets, located by a person, with aggregates computed by another program that reads whole sheets. Catches
// totals, titles or headers counted as rows, missed rows and merged cells, and changed dates, texts and numbers.

const corpus = fileURLToPath(new URL("../../../../../../shared/corpus/documents/", import.meta.url))

/** A table as a person sees it. Row numbers are those of the sheet; `header` is 0 where no row names the columns. */
interface Seen {
  sheet: string | null
  header: number
  first: number
  last: number
}

const seen = (sheet: string | null, header: number, first: number, last: number): Seen => ({
  sheet,
  header,
  first,
  last,
})
const filtered = "No_Filter Just_Filter One_Cond Two_Cond Top10 Bot10 Average NE GT AND_Bounding OR_Range"

const workbooks: Record<string, Seen[]> = {
  "AutoFilter.ods": filtered.split(" ").map((sheet) => seen(sheet, 1, 2, 22)),
  "SampleSS.ods": [seen("First Sheet", 2, 3, 4), seen("Sheet Number 2", 6, 7, 7)],
  "WithVariousData.xlsx": [seen("Sheet1", 1, 2, 10)],
  "sample.xlsx": [seen("Sheet1", 0, 1, 10), seen("rich test", 3, 4, 6)],
  "testEXCEL_dateFormats.xlsx": [seen("Munka1", 1, 2, 4)],
  "testEXCEL_95.xls": [],
  "test-columnar.csv": [seen(null, 1, 2, 12)],
  "15228.xls": [
    seen("general dump", 2, 3, 74),
    seen("reported claim lag dump", 2, 3, 39),
    seen("paid claim lag dump", 2, 3, 39),
    seen("aux", 2, 3, 39),
    seen("exposure dump", 2, 3, 74),
    seen("ncco dump", 2, 3, 39),
    seen("LinearLag", 7, 8, 44), // Row 58 is a total.
    seen("BlockExposure", 6, 7, 59), // Except row 45.
    seen("RepLag", 8, 9, 54), // Except row 45 and the title in row 47.
    seen("RepLag", 57, 58, 93),
    seen("PaidLag", 8, 9, 54), // As above.
    seen("PaidLag", 57, 58, 93),
    seen("IncurredClaims", 8, 9, 44),
    seen("ClaimCost", 8, 9, 45),
    seen("ClaimCost", 50, 51, 60),
    seen("Liabilities", 8, 9, 45),
    seen("Liabilities", 49, 50, 61),
    seen("IntDiscAdjExp", 8, 9, 44),
    seen("IntDiscAdjExp", 48, 49, 56),
    seen("WeightedNCC0", 8, 9, 44),
    seen("WeightedNCC0", 48, 49, 51),
    seen("Output", 6, 7, 44),
    seen("csv", 1, 2, 39),
  ],
}
/** Total rows within these tables. */
const sumsUp: Record<string, number[]> = { BlockExposure: [45], RepLag: [45], PaidLag: [45] }

type Value = string | number | null

function getValue(cell: CellObject | undefined): Value {
  if (cell?.t === "s") return String(cell.v).trim() || null
  if (cell?.t === "b") return Number(cell.v)
  if (cell?.t !== "n") return null
  const number = Number(cell.v)
  if (!SSF.is_date(String(cell.z ?? ""))) return number
  const { y, m, d } = SSF.parse_date_code(number) as { y: number; m: number; d: number }
  return [String(y), String(m).padStart(2, "0"), String(d).padStart(2, "0")].join("-")
}

/** All values of a sheet, by row and column from 0, with the row range of each merged cell. */
interface Grid {
  rows: Value[][]
  merged: { column: number; first: number; last: number }[]
}

function getGrid(sheet: WorkSheet | undefined): Grid {
  const cells = (sheet?.["!data"] ?? []) as (CellObject[] | undefined)[]
  const rows = Array.from(cells, (row = []) => Array.from(row, getValue))
  const merged = (sheet?.["!merges"] ?? []).map(({ s, e }) => ({ column: s.c, first: s.r, last: e.r }))
  return { rows, merged }
}

/** Parses plain lines without quotes. */
function gridOfLines(text: string): Grid {
  const valueOfText = (written: string): Value => {
    const date = /^(\d\d)-(\d\d)-(\d{4})$/.exec(written)
    if (date) return `${date[3]}-${date[2]}-${date[1]}`
    const percent = /^(\d+(?:\.\d+)?)%$/.exec(written)
    if (percent) return Number((Number(percent[1]) / 100).toFixed(9))
    return written.trim() === "" ? null : /^\d+(\.\d+)?$/.test(written) ? Number(written) : written.trim()
  }
  return { rows: text.split(/\r?\n/).map((line) => line.split(",").map(valueOfText)), merged: [] }
}

/** Returns the values of each column that has values or a name. */
function findColumns({ rows, merged }: Grid, table: Seen): Value[][] {
  const at = (row: number, column: number) => rows[row - 1]?.[column] ?? null
  const width = Math.max(...rows.map((row) => row.length))
  const columns: Value[][] = []
  for (let column = 0; column < width; column++) {
    const values: Value[] = []
    for (let row = table.first; row <= table.last; row++) {
      if (sumsUp[table.sheet ?? ""]?.includes(row)) continue
      const isIn = (cells: Grid["merged"][number]) => cells.first + 1 >= table.first && cells.last + 1 >= row
      const from = merged.find((cells) => cells.column === column && isIn(cells) && cells.first + 1 < row)
      values.push(at(from ? from.first + 1 : row, column))
    }
    const isNamed = table.header > 0 && at(table.header, column) !== null
    if (isNamed || values.some((value) => value !== null)) columns.push(values)
  }
  return columns
}

const getNumbers = (values: readonly Value[]) => values.filter((value) => typeof value === "number")
const getTexts = (values: readonly Value[]) =>
  values
    .filter((value) => typeof value === "string")
    .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))

function aggregates(values: readonly Value[]) {
  const numbers = getNumbers(values)
  const texts = getTexts(values)
  return {
    count: numbers.length + texts.length,
    distinct: new Set([...numbers, ...texts]).size,
    sum: numbers.length > 0 ? numbers.reduce((sum, each) => sum + each, 0) : null,
    least: numbers.length > 0 ? Math.min(...numbers) : null,
    most: numbers.length > 0 ? Math.max(...numbers) : null,
    first: texts.at(0) ?? null,
    last: texts.at(-1) ?? null,
  }
}

const getSql = (table: string, column: string) => {
  const isNumber = `typeof(${column}) IN ('integer', 'real')`
  const isText = `typeof(${column}) = 'text'`
  return `SELECT count(${column}) AS count, count(DISTINCT ${column}) AS "distinct", sum(${column}) FILTER (WHERE ${isNumber}) AS sum,
    min(${column}) FILTER (WHERE ${isNumber}) AS least, max(${column}) FILTER (WHERE ${isNumber}) AS most,
    min(${column}) FILTER (WHERE ${isText}) AS first, max(${column}) FILTER (WHERE ${isText}) AS last FROM ${table}`
}

test.for(Object.keys(workbooks))(
  "computes the same aggregates for %s as its cells give",
  { tags: "corpus" },
  async (name) => {
    const bytes = readFileSync(`${corpus}${name}`)
    const isText = name.endsWith(".csv")
    const book = isText ? undefined : read(bytes, { cellDates: false, cellNF: true, dense: true })
    const { database, tables } = await makeStoredTables(bytes, name)
    expect(tables.map(({ sheet }) => sheet)).toEqual(workbooks[name]?.map(({ sheet }) => sheet))
    for (const [index, table] of tables.entries()) {
      const person = workbooks[name]?.[index] ?? expect.unreachable()
      const grid = isText ? gridOfLines(bytes.toString()) : getGrid(book?.Sheets[person.sheet ?? ""])
      const columns = findColumns(grid, person)
      const where = `${person.sheet ?? name}, from row ${person.first}`
      expect(table.columns, where).toHaveLength(columns.length)
      for (const [column, { name: header }] of table.columns.entries()) {
        const { sum, ...made } = database
          .prepare(getSql(quoted(table.key), quoted(header)))
          .get() as ReturnType<typeof aggregates>
        const { sum: expected, ...others } = aggregates(columns[column] ?? [])
        expect(made, `${where}: ${header}`).toEqual(others)
        if (expected === null) expect(sum, `${where}: ${header}`).toBeNull()
        else expect(Math.abs((sum ?? NaN) - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-12)
      }
    }
  },
)

// Catches a workbook that is added to the corpus but compared with nothing.
test("covers every spreadsheet in the corpus except hostile ones", { tags: "corpus" }, () => {
  const hostile = /^poc-|protected/
  const names = readdirSync(corpus).filter(
    (name) => /\.(?:xlsx?|ods|[ct]sv)$/.test(name) && name !== "fixtures.tsv",
  )
  expect(Object.keys(workbooks).toSorted()).toEqual(names.filter((name) => !hostile.test(name)).toSorted())
})
