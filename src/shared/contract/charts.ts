import { z } from "zod"

const Label = z.string().max(200)
const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "must be a colour like #3366cc")

const Point = z.object({ x: z.number(), y: z.number() })
const maxPoints = 5000
const pointsHint = "Points of the series. Only for `scatter`."

const Series = z.object({
  name: Label,
  color: colour.optional(),
  values: z
    .array(z.number().nullable())
    .max(2000)
    .optional()
    .meta({ description: "One value for each label; null where there is none. Not for `scatter`." }),
  points: z.array(Point).max(maxPoints).optional().meta({ description: pointsHint }),
})
const maxSeries = 20

/**
 * The arguments with which a model draws a chart. The schema has no name, so that it contains everything and refers to nothing. Only fields
 * whose names don't explain them are described, because the descriptions take space in the model's context window.
 */
export const ChartArguments = z
  .object({
    kind: z.enum(["bar", "line", "area", "pie", "scatter"]),
    title: Label.optional(),
    xLabel: Label.optional(),
    yLabel: Label.optional(),
    stacked: z.boolean().optional().meta({ description: "Only for `bar` and `area`." }),
    labels: z
      .array(Label)
      .max(2000)
      .optional()
      .meta({ description: "Labels along the x axis. Not for `scatter`." }),
    series: z.array(Series).min(1).max(maxSeries),
  })
  .superRefine((chart, context) => {
    const wrong = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message })
    if (chart.kind === "scatter") checkPoints(chart.series, wrong)
    else checkValues(chart.labels, chart.series, wrong)
    if (chart.kind === "pie") checkSlices(chart.series, wrong)
    if (chart.stacked && chart.kind !== "bar" && chart.kind !== "area") {
      wrong(["stacked"], "only bars and areas can be stacked")
    }
  })

const { kind, title, xLabel, yLabel, stacked } = ChartArguments.shape
const ChartSeries = Series.extend({
  name: Label.describe("Name of the series, shown in the legend."),
  color: Series.shape.color.describe("Colour of the series."),
  points: z
    .array(
      z.object({
        x: z.number().describe("Position on the x axis."),
        y: z.number().describe("Position on the y axis."),
      }),
    )
    .max(maxPoints)
    .optional()
    .describe(pointsHint),
})

/** A chart from a model: data and a kind, with nothing that could run. Each series has one value per label. */
export const Chart = ChartArguments.safeExtend({
  kind: kind.describe("Kind of chart."),
  title: title.describe("Title above the chart."),
  xLabel: xLabel.describe("Label of the x axis."),
  yLabel: yLabel.describe("Label of the y axis."),
  stacked: stacked.describe("true stacks the series. Only for `bar` and `area`."),
  series: z.array(ChartSeries).min(1).max(maxSeries).describe("Series of the chart, 1 to 20."),
}).meta({
  id: "Chart",
  description: "A chart that a model created: data and a kind, nothing that could run.",
})
export type Chart = z.infer<typeof Chart>

type Wrong = (path: (string | number)[], message: string) => void
type Series = z.infer<typeof Series>

function checkPoints(series: Series[], wrong: Wrong): void {
  for (const [n, { points, values }] of series.entries()) {
    if (!points?.length) wrong(["series", n, "points"], "are needed for scatter, at least one {x, y}")
    if (values) wrong(["series", n, "values"], "aren't for scatter: give points")
  }
}

function checkValues(labels: string[] | undefined, series: Series[], wrong: Wrong): void {
  if (!labels?.length) wrong(["labels"], "are needed, one for each value")
  for (const [n, { points, values }] of series.entries()) {
    if (points) wrong(["series", n, "points"], "are for scatter only: give labels and values")
    if (!values) wrong(["series", n, "values"], "are needed, one for each label")
    else if (labels && values.length !== labels.length) {
      wrong(["series", n, "values"], `are ${values.length}, but there are ${labels.length} labels`)
    }
  }
}

function checkSlices(series: Series[], wrong: Wrong): void {
  if (series.length > 1) wrong(["series"], "of a pie must be one")
  const values = series[0]?.values ?? []
  if (values.some((value) => value !== null && value < 0)) {
    wrong(["series", 0, "values"], "of a pie must not be negative")
  }
}
