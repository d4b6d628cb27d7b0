import { z } from "zod"
import type { ParserInput } from "../parser.ts"
import { parserReply } from "../process/parser-reply.ts"

/**
 * A document for a standby server to read. The document's bytes follow, then `end`. After each batch except the last, the standby server
 * waits for `next`.
 */
export interface ReadRequest extends Pick<ParserInput, "name" | "password" | "scan"> {
  type: "read"
  leaveScans: boolean
  /** OCR languages to use. A box with different languages closes the connection. */
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

/** The document can't be read there. The active server finds out whether the document or that computer is the cause. */
export const unread = { type: "unread" } as const

/** The text read so far, or a message that the document can't be read. */
export const ReadReply = z.union([z.object({ type: z.literal(unread.type) }), parserReply])

export const documentEnds = { type: "end" } as const
export const nextBatch = { type: "next" } as const
