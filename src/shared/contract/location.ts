import { z } from "zod"

const Share = z.number().min(0).max(1)

/** The area of a text on its page, as fractions of the page's width and height, from the top left. */
export const PageArea = z
  .object({
    left: Share.describe("Distance from the left edge, 0 to 1."),
    top: Share.describe("Distance from the top edge, 0 to 1."),
    width: Share.describe("Width, 0 to 1."),
    height: Share.describe("Height, 0 to 1."),
  })
  .meta({
    id: "PageArea",
    description:
      "The area of a text on its page, as fractions of the page's width and height from the top left.",
  })
export type PageArea = z.infer<typeof PageArea>

/** The location of a text in its document, passed from the parser to the citation. */
export const Location = z
  .object({
    page: z.int().positive().optional().describe("Page, from 1."),
    sheet: z.string().optional().describe("Name of the sheet."),
    row: z.int().positive().optional().describe("Row of the sheet, from 1."),
    column: z
      .int()
      .positive()
      .optional()
      .describe(
        "Column of the sheet at which the text begins, from 1. Missing if the cells can't be counted.",
      ),
    slide: z.int().positive().optional().describe("Slide, from 1."),
    line: z.int().positive().optional().describe("Line, from 1."),
    heading: z.string().optional().describe("Heading above the text."),
    image: z
      .int()
      .positive()
      .optional()
      .describe(
        "Image that the text is in, from 1 on its page, slide or sheet. Small images and repeated ones aren't counted.",
      ),
    described: z
      .literal(true)
      .optional()
      .describe(
        "true if the text is a model's description of the image and not text of the document. It begins with `(described by a model)`.",
      ),
    message: z.int().positive().optional().describe("Message of a mailbox, from 1."),
    entry: z
      .string()
      .optional()
      .describe(
        "Path of the file inside an archive, such as `2024/invoice.pdf`. The other parts are those of that file.",
      ),
  })
  .meta({
    id: "Location",
    description: "The location of a text in its document. Only the parts that apply are present.",
  })
export type Location = z.infer<typeof Location>
