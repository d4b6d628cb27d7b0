import { z } from "zod"

const Share = z.number().min(0).max(1)

/** Where on its page a piece of text stands, in shares of the page's width and height, from the top left. */
export const PageArea = z
  .object({ left: Share, top: Share, width: Share, height: Share })
  .meta({ id: "PageArea" })
export type PageArea = z.infer<typeof PageArea>
