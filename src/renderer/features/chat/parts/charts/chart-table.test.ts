import { expect, test } from "vitest"
import { chartRows, toCsv } from "./chart-table.ts"

test("bars are a row for each label and a column for each series", () => {
  const table = chartRows({
    kind: "bar",
    xLabel: "Month",
    labels: ["May", "June"],
    series: [
      { name: "Rain", values: [3, null] },
      { name: "Sun", values: [9.5, 11] },
    ],
  })
  expect(table).toEqual({
    head: ["Month", "Rain", "Sun"],
    rows: [
      ["May", 3, 9.5],
      ["June", null, 11],
    ],
  })
})

test("a scatter is a row for each point", () => {
  const points = [
    { x: 1, y: -2 },
    { x: 3, y: 4 },
  ]
  expect(chartRows({ kind: "scatter", series: [{ name: "A", points }] }).rows).toEqual([
    ["A", 1, -2],
    ["A", 3, 4],
  ])
})

// Would catch columns that slip, and a label that becomes a formula where it is pasted.
test("cells are quoted where needed, formulas disarmed, and numbers left alone", () => {
  const rows = [
    ['a "b", c', -1],
    ["=HYPERLINK(1)", null],
  ]
  expect(toCsv({ head: ["x", "y"], rows })).toBe('x,y\r\n"a ""b"", c",-1\r\n\'=HYPERLINK(1),')
})
