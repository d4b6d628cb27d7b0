import { z } from "zod"

const Label = z.string().max(200)
const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "must be a colour like #3366cc")

const Series = z.object({
  name: Label,
  color: colour.optional(),
  values: z
    .array(z.number().nullable())
    .max(2000)
    .optional()
    .meta({ description: "One for each label, null where there is none; not for scatter" }),
  points: z
    .array(z.object({ x: z.number(), y: z.number() }))
    .max(5000)
    .optional()
    .meta({ description: "For scatter" }),
})

/** The arguments with which a model draws a chart. The schema has no name, so that it contains everything and refers to nothing. */
export const ChartArguments = z
  .object({
    kind: z.enum(["bar", "line", "area", "pie", "scatter"]),
    title: Label.optional(),
    xLabel: Label.optional(),
    yLabel: Label.optional(),
    stacked: z.boolean().optional(),
    labels: z
      .array(Label)
      .max(2000)
      .optional()
      .meta({ description: "Names along the axis; not for scatter" }),
    series: z.array(Series).min(1).max(20),
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

/** A chart from a model: data and a kind, with nothing that could run. Each series has one value per label. */
export const Chart = ChartArguments.meta({ id: "Chart" })
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
