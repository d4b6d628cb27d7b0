import { z } from "zod"
import { FileReason } from "../../../shared/contract/files.ts"
import type { ParserInput } from "../parser.ts"
import { parserReply } from "../process/parser-reply.ts"

/** What a box that waits is to read; the document's bytes follow, then `end`. After each batch but the last it waits for `next`. */
export interface ReadRequest extends Pick<ParserInput, "name" | "password" | "scan"> {
  type: "read"
  leaveScans: boolean
}
export const ReadRequest = z.object({
  type: z.literal("read"),
  name: z.string(),
  password: z.string().optional(),
  scan: z.object({ page: z.int(), inside: z.array(z.int()).optional() }).optional(),
  leaveScans: z.boolean(),
}) as z.ZodType<ReadRequest>

/** How it ended; it can't be read for a reason of the document's, or something is wrong with that box. */
const ReadFailure = z.object({
  type: z.literal("failure"),
  reason: FileReason,
  outcome: z.enum(["failed", "skipped"]),
  transientCause: z.enum(["locked", "device", "exchanged", "died"]).optional(),
  notes: z.array(FileReason),
})

/** What was read so far, or how reading ended. */
export const ReadReply = z.union([ReadFailure, parserReply])

export const documentEnds = { type: "end" } as const
export const nextBatch = { type: "next" } as const
