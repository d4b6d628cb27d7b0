import type { Chart } from "../../../../../shared/contract/charts.ts"

export interface ChartRows {
  head: string[]
  rows: (string | number | null)[][]
}

/** A chart's numbers in rows and columns: a row for each label, or for each point of a scatter. */
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

/** As CSV (RFC 4180). Text that a spreadsheet would take for a formula begins with an apostrophe. */
export const toCsv = ({ head, rows }: ChartRows): string =>
  [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")

function cell(value: string | number | null): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
