import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { toCsv, toTabs } from "./csv.ts"

beforeAll(() => i18next.init({ lng: "en", resources: {} }))

// Catches shifted columns, and a label that becomes a formula where it is pasted.
test("quotes cells where needed, disarms formulas and leaves numbers unchanged", () => {
  const rows = [
    ["x", "y"],
    ['a "b", c', -1],
    ["=HYPERLINK(1)", null],
  ]
  expect(toCsv(rows)).toBe('x,y\r\n"a ""b"", c",-1\r\n\'=HYPERLINK(1),')
})

// Catches a cell that becomes two when pasted, and a formula that runs.
test("keeps copied cells apart and runs no formula", () => {
  expect(
    toTabs([
      ["a\tb", -1.5],
      ["=cmd()", null],
    ]),
  ).toBe("a b\t-1.5\n'=cmd()\t")
})
