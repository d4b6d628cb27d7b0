import type { Chart } from "../../../../../shared/contract/charts.ts"

export interface ChartRows {
  head: string[]
  rows: (string | number | null)[][]
}

/** A chart's numbers in rows and columns, with one row per label or, for a scatter chart, per point. */
export function chartRows({ kind, labels = [], series, xLabel = "", yLabel = "" }: Chart): ChartRows {
  if (kind === "scatter") {
    return {
      head: ["", xLabel || "x", yLabel || "y"],
      rows: series.flatMap(({ name, points = [] }) => points.map(({ x, y }) => [name, x, y])),
    }
  }
  return {
    head: [xLabel, ...series.map(({ name }) => name)],
    rows: labels.map((label, index) => [label, ...series.map(({ values }) => values?.[index] ?? null)]),
  }
}
