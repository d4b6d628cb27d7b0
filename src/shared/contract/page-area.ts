import { z } from "zod"

const Share = z.number().min(0).max(1)

/** The area of a text on its page, as fractions of the page's width and height, from the top left. */
export const PageArea = z
  .object({ left: Share, top: Share, width: Share, height: Share })
  .meta({ id: "PageArea" })
export type PageArea = z.infer<typeof PageArea>
