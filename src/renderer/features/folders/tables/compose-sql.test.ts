import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { factsSql, nextSort, rowsSql, selectAll, type View } from "./compose-sql.ts"

const table = `it's "odd"; --`
const columns = ["name", 'of "what"', "amount"]

/** A database with the odd table, to see that what is composed is SQL and means what it should. */
function answer(sql: string): unknown[][] {
  using database = new DatabaseSync(":memory:")
  database.exec(`CREATE TABLE "it's ""odd""; --" (name TEXT, "of ""what""" TEXT, amount REAL);
    INSERT INTO "it's ""odd""; --" VALUES ('Anna', '100%', 2), ('Bert', 'it''s', 1), ('C_d', NULL, NULL);`)
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return statement.all() as unknown as unknown[][]
}

const view: View = { base: selectAll(table), columns, filter: "", sort: undefined }
const namesOf = (more: Partial<View>) => answer(rowsSql({ ...view, ...more })).map(([first]) => first)

// Would catch names and words with quotes that end the text they stand in: what is typed as a filter must never become SQL.
test("what is filtered and sorted by is quoted", () => {
  expect(namesOf({})).toEqual(["Anna", "Bert", "C_d"])
  expect(namesOf({ filter: "it's" })).toEqual(["Bert"])
  expect(namesOf({ filter: "' OR 1=1 --" })).toEqual([])
  expect(namesOf({ sort: { column: 'of "what"', descending: true } })).toEqual(["Bert", "Anna", "C_d"])
})

// Would catch a % or _ that matches everything.
test("a filter means its characters", () => {
  expect(namesOf({ filter: "%" })).toEqual(["Anna"])
  expect(namesOf({ filter: "_" })).toEqual(["C_d"])
  expect(namesOf({ filter: "\\" })).toEqual([])
  expect(namesOf({ filter: " an " })).toEqual(["Anna"])
})

// Would catch a SELECT of one's own whose end or last comment swallows what is put around it.
test("an own SELECT can be filtered and sorted as a table", () => {
  const base = `${selectAll(table)} WHERE amount > 0 -- only these\n;  `
  expect(namesOf({ base, sort: { column: "amount", descending: false } })).toEqual(["Bert", "Anna"])
  expect(namesOf({ base: `${selectAll(table)} -- all`, filter: "bert" })).toEqual(["Bert"])
})

// Would catch a sum over all rows while some are filtered out, and empty cells that count.
test("a column is summed over the rows that are shown", () => {
  expect(answer(factsSql(view, "amount", true))).toEqual([[2, 3, 1.5]])
  expect(answer(factsSql({ ...view, filter: "anna" }, "amount", true))).toEqual([[1, 2, 2]])
  expect(answer(factsSql(view, 'of "what"', false))).toEqual([[2]])
})

test("a column's head sorts up, down, and not any more", () => {
  const up = nextSort(undefined, "a")
  expect(up).toEqual({ column: "a", descending: false })
  expect(nextSort(up, "b")).toEqual({ column: "b", descending: false })
  const down = nextSort(up, "a")
  expect(down).toEqual({ column: "a", descending: true })
  expect(nextSort(down, "a")).toBeUndefined()
})
