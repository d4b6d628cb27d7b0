import { expect, test } from "vitest"
import { addColumns } from "./columns.ts"

// Would catch: a table that the box refuses for its columns, and a name that stands there twice.
test("columns are taken as the box takes them", () => {
  expect(addColumns(["Date"], " Amount , Date;; Party ")).toEqual(["Date", "Amount", "Party"])
  expect(addColumns([], "x".repeat(100))).toEqual(["x".repeat(60)])
  expect(addColumns([], Array.from({ length: 20 }, (_, index) => `${index}`).join())).toHaveLength(12)
})
