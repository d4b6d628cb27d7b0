import { createRequire } from "node:module"
import type * as Arrow from "apache-arrow"
import { expect, test } from "vitest"
import { arrowRows } from "./arrow-rows.ts"

// Catches a second variant of Arrow that is loaded next to LanceDB's own, which doubles the loading time.
test("rows are built with the variant of Arrow that LanceDB loads", () => {
  const { Table } = createRequire(import.meta.resolve("@lancedb/lancedb"))("apache-arrow") as typeof Arrow
  expect(arrowRows([], 2)).toBeInstanceOf(Table)
})
