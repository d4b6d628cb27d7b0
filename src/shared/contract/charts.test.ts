import { expect, it } from "vitest"
import { Chart } from "./charts.ts"

const series = [{ name: "Rain", values: [1, null, 3] }]
const labels = ["Mon", "Tue", "Wed"]
const points = [{ name: "Trees", points: [{ x: 1, y: 2 }] }]

it.each([
  { kind: "bar", labels, series, stacked: true },
  { kind: "line", labels, series: [...series, { name: "Sun", values: [3, 2, 1], color: "#ffcc00" }] },
  { kind: "area", labels, series, title: "Week", xLabel: "Day", yLabel: "mm" },
  { kind: "pie", labels, series },
  { kind: "scatter", series: points },
])("accepts a valid chart: $kind", (chart) => expect(Chart.parse(chart)).toEqual(chart))

// Catches a chart that shows nothing, or something else, without an error for the model.
it.each([
  [{ kind: "bar", series }, "labels"],
  [{ kind: "bar", labels, series: [{ name: "Rain", values: [1] }] }, "series.0.values"],
  [{ kind: "line", labels, series: points }, "series.0.points"],
  [{ kind: "scatter", labels, series }, "series.0.points"],
  [{ kind: "pie", labels, series: [...series, ...series] }, "series"],
  [{ kind: "pie", labels, series: [{ name: "Rain", values: [1, -1, 3] }] }, "series.0.values"],
  [{ kind: "line", labels, series, stacked: true }, "stacked"],
  [{ kind: "bar", labels, series: [] }, "series"],
  [{ kind: "radar", labels, series }, "kind"],
  [{ kind: "bar", labels, series: [{ ...series[0], color: "red;background:url(x)" }] }, "series.0.color"],
  [{ kind: "bar", labels, series: [{ name: "Rain", values: [1, Infinity, 3] }] }, "series.0.values.1"],
])("names the invalid field of %j", (chart, path) => {
  const { error } = Chart.safeParse(chart)
  expect(error?.issues.map((issue) => issue.path.join("."))).toContain(path)
})
