import { expect, test } from "vitest"
import { chartRows } from "./ChartFigure.tsx"

test("turns bars into a row for each label and a column for each series", () => {
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

test("turns a scatter chart into a row for each point", () => {
  const points = [
    { x: 1, y: -2 },
    { x: 3, y: 4 },
  ]
  expect(chartRows({ kind: "scatter", series: [{ name: "A", points }] }).rows).toEqual([
    ["A", 1, -2],
    ["A", 3, 4],
  ])
})
