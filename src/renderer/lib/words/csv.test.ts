import { expect, test } from "vitest"
import { toCsv } from "./csv.ts"

// Would catch columns that slip, and a label that becomes a formula where it is pasted.
test("cells are quoted where needed, formulas disarmed, and numbers left alone", () => {
  const rows = [
    ["x", "y"],
    ['a "b", c', -1],
    ["=HYPERLINK(1)", null],
  ]
  expect(toCsv(rows)).toBe('x,y\r\n"a ""b"", c",-1\r\n\'=HYPERLINK(1),')
})
