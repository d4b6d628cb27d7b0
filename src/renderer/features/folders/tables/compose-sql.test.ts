import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { factsSql, nextSort, rowsSql, selectAll, type View } from "./table-queries.ts"

const table = `it's "odd"; --`
const columns = ["name", 'of "what"', "amount"]

/** A database with an awkward table, to check that the composed SQL is valid and correct. */
function answer(sql: string): unknown[][] {
  using database = new DatabaseSync(":memory:")
  database.exec(`CREATE TABLE "it's ""odd""; --" (name TEXT, "of ""what""" TEXT, amount REAL);
    INSERT INTO "it's ""odd""; --" VALUES ('Anna', '100%', 2), ('Bert', 'it''s', 1), ('C_d', NULL, NULL);`)
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return statement.all() as unknown as unknown[][]
}

const view: View = { base: selectAll(table), columns, filter: "", sort: undefined }
const getNames = (more: Partial<View>) => answer(rowsSql({ ...view, ...more })).map(([first]) => first)

// Catches quotes in names or filter text that end their string: typed text must never become SQL.
test("quotes filter text and column names", () => {
  expect(getNames({})).toEqual(["Anna", "Bert", "C_d"])
  expect(getNames({ filter: "it's" })).toEqual(["Bert"])
  expect(getNames({ filter: "' OR 1=1 --" })).toEqual([])
  expect(getNames({ sort: { column: 'of "what"', descending: true } })).toEqual(["Bert", "Anna", "C_d"])
})

// Catches a % or _ that matches everything.
test("matches the filter's characters literally", () => {
  expect(getNames({ filter: "%" })).toEqual(["Anna"])
  expect(getNames({ filter: "_" })).toEqual(["C_d"])
  expect(getNames({ filter: "\\" })).toEqual([])
  expect(getNames({ filter: " an " })).toEqual(["Anna"])
})

// Catches a custom SELECT whose end or last comment swallows the SQL around it.
test("filters and sorts a custom SELECT like a table", () => {
  const base = `${selectAll(table)} WHERE amount > 0 -- only these\n;  `
  expect(getNames({ base, sort: { column: "amount", descending: false } })).toEqual(["Bert", "Anna"])
  expect(getNames({ base: `${selectAll(table)} -- all`, filter: "bert" })).toEqual(["Bert"])
})

// Catches a sum that includes filtered rows, and a count that includes empty cells.
test("sums a column over the rows shown", () => {
  expect(answer(factsSql(view, "amount", true))).toEqual([[2, 3, 1.5]])
  expect(answer(factsSql({ ...view, filter: "anna" }, "amount", true))).toEqual([[1, 2, 2]])
  expect(answer(factsSql(view, 'of "what"', false))).toEqual([[2]])
})

test("sorts by a column header up, down, then not at all", () => {
  const up = nextSort(undefined, "a")
  expect(up).toEqual({ column: "a", descending: false })
  expect(nextSort(up, "b")).toEqual({ column: "b", descending: false })
  const down = nextSort(up, "a")
  expect(down).toEqual({ column: "a", descending: true })
  expect(nextSort(down, "a")).toBeUndefined()
})
