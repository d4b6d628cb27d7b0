import { z } from "zod"

const Label = z.string().max(200)
const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "must be a colour like #3366cc")

/** A chart that a model drew: data and a kind, nothing that could run. Series have one value for each label. */
export const Chart = z
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
    series: z
      .array(
        z.object({
          name: Label,
          color: colour.optional(),
          values: z.array(z.number().nullable()).max(2000).optional(),
          points: z
            .array(z.object({ x: z.number(), y: z.number() }))
            .max(5000)
            .optional()
            .meta({ description: "For scatter" }),
        }),
      )
      .min(1)
      .max(20),
  })
  .meta({ id: "Chart" })
export type Chart = z.infer<typeof Chart>
