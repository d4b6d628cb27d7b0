import { expect, it } from "vitest"
import { createPlot } from "./plot.ts"
import { testContext } from "./testing/tool-context.ts"

const plot = createPlot()

it("returns the chart, and describes it to the model", async () => {
  const chart = {
    kind: "bar",
    labels: ["Mon", "Tue"],
    series: [{ name: "Rain", values: [1, 2] }],
    title: "Week",
  }
  expect(await plot.run(chart, testContext())).toEqual({
    content: 'The user sees a bar chart "Week" from Mon to Tue: Rain (2 values).',
    parts: [{ type: "chart", chart }],
  })
})

it("reports invalid input to the model", async () => {
  const chart = { kind: "bar", labels: ["Mon"], series: [{ name: "Rain", values: [1, 2] }] }
  await expect(plot.run(chart, testContext())).rejects.toThrow("are 2, but there are 1 labels")
})

// Catches a schema that a small model's grammar can't follow.
it("describes its arguments without references", () => {
  expect(plot.parameters).toMatchObject({ type: "object", required: ["kind", "series"] })
  expect(JSON.stringify(plot.parameters)).not.toContain("$ref")
})
