import { expect, test } from "vitest"
import { addColumns } from "./question-templates.ts"

// Catches a table that the box refuses because of its columns, and a duplicate column name.
test("accepts columns the way the box does", () => {
  expect(addColumns(["Date"], " Amount , Date;; Party ")).toEqual(["Date", "Amount", "Party"])
  expect(addColumns([], "x".repeat(100))).toEqual(["x".repeat(60)])
  expect(addColumns([], Array.from({ length: 20 }, (_, index) => `${index}`).join())).toHaveLength(12)
})
