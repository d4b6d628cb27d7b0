import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { toCsv, toTabs } from "./csv.ts"

beforeAll(() => i18next.init({ lng: "en", resources: {} }))

// Would catch columns that slip, and a label that becomes a formula where it is pasted.
test("cells are quoted where needed, formulas disarmed, and numbers left alone", () => {
  const rows = [
    ["x", "y"],
    ['a "b", c', -1],
    ["=HYPERLINK(1)", null],
  ]
  expect(toCsv(rows)).toBe('x,y\r\n"a ""b"", c",-1\r\n\'=HYPERLINK(1),')
})

// Would catch: a cell that becomes two when it is pasted, and a formula that is carried out.
test("what is copied keeps its cells, and no formula is carried out", () => {
  expect(
    toTabs([
      ["a\tb", -1.5],
      ["=cmd()", null],
    ]),
  ).toBe("a b\t-1.5\n'=cmd()\t")
})
