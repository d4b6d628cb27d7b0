import { z } from "zod"
import type { ParserInput } from "../parser.ts"
import { parserReply } from "../process/parser-reply.ts"

/** What a box that waits is to read; the document's bytes follow, then `end`. After each batch but the last it waits for `next`. */
export interface ReadRequest extends Pick<ParserInput, "name" | "password" | "scan"> {
  type: "read"
  leaveScans: boolean
  /** Those with which it is read with OCR; a box with others ends the connection. */
  languages?: string
}
export const ReadRequest = z.object({
  type: z.literal("read"),
  name: z.string(),
  password: z.string().optional(),
  scan: z.object({ page: z.int(), inside: z.array(z.int()).optional() }).optional(),
  leaveScans: z.boolean(),
  languages: z.string().optional(),
}) as z.ZodType<ReadRequest>

/** The document can't be read there. Whether that is its fault or that computer's, the box that runs finds out. */
export const unread = { type: "unread" } as const

/** What was read so far, or that it can't be. */
export const ReadReply = z.union([z.object({ type: z.literal(unread.type) }), parserReply])

export const documentEnds = { type: "end" } as const
export const nextBatch = { type: "next" } as const
