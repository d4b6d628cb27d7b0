import { createRequire } from "node:module"
import type * as Arrow from "apache-arrow"
import { expect, test } from "vitest"
import { arrowRows } from "./arrow-rows.ts"

// Catches a second variant of Arrow beside LanceDB's own, whose loading takes as long again.
test("rows are made with the variant of Arrow that LanceDB loads", () => {
  const { Table } = createRequire(import.meta.resolve("@lancedb/lancedb"))("apache-arrow") as typeof Arrow
  expect(arrowRows([], 2)).toBeInstanceOf(Table)
})
