import { ChartArguments, type Chart } from "../../shared/contract/charts.ts"
import { defineTool, type Tool } from "./tool.ts"

/** Adds a chart to the answer; the page draws it. */
export function createPlot(): Tool {
  return defineTool({
    key: "plot",
    description:
      "Shows a chart of data in the answer: bar, line, area, pie or scatter. The user sees it, so don't repeat its values.",
    effects: ["read"],
    result: { trusted: true, private: false },
    args: ChartArguments,
    run: (chart) => Promise.resolve({ content: summary(chart), parts: [{ type: "chart", chart }] }),
  })
}

function summary({ kind, title, labels, series }: Chart): string {
  const amounts = series.map(
    ({ name, values, points }) => `${name} (${(values ?? points ?? []).length} values)`,
  )
  const range = labels ? ` from ${labels[0]} to ${labels.at(-1)}` : ""
  return `The user sees a ${kind} chart${title ? ` "${title}"` : ""}${range}: ${amounts.join(", ")}.`
}
