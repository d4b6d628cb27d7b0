import { z } from "zod"

const Share = z.number().min(0).max(1)

/** The area of a text on its page, as fractions of the page's width and height, from the top left. */
export const PageArea = z
  .object({ left: Share, top: Share, width: Share, height: Share })
  .meta({ id: "PageArea" })
export type PageArea = z.infer<typeof PageArea>

/** The location of a text in its document, passed from the parser to the citation. */
export const Location = z
  .object({
    page: z.int().positive().optional(),
    sheet: z.string().optional(),
    row: z.int().positive().optional(),
    column: z.int().positive().optional().meta({
      description:
        "Of a sheet's row: the column, from 1, at which its text begins; absent where its cells can't be counted off",
    }),
    slide: z.int().positive().optional(),
    line: z.int().positive().optional(),
    heading: z.string().optional(),
    message: z.int().positive().optional().meta({ description: "Of a mailbox: the message, from 1" }),
    entry: z.string().optional().meta({
      description:
        "Of an archive: the path of the member, such as `2024/invoice.pdf`, or `old.zip/invoice.pdf` in an archive inside it. The other parts are those of the member.",
    }),
  })
  .meta({
    id: "Location",
    description: "Position of a text in its document; only the parts that apply are present.",
  })
export type Location = z.infer<typeof Location>
