import { z } from "zod"
import { TicketStatus } from "./tickets.ts"

/**
 * What a notification of the box's own tells, for apps that say it in their user's language. Its title and description
 * say the same in English; what isn't here, such as a chat's title or an error, stands in the description.
 */
export const BoxNews = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("answer_ready") }),
    z.object({ kind: z.literal("answer_failed") }),
    z.object({ kind: z.literal("approval_wanted"), tool: z.string() }),
    z.object({ kind: z.literal("question_held") }),
    z.object({ kind: z.literal("model_ready"), model: z.string() }),
    z.object({ kind: z.literal("model_failed"), model: z.string() }),
    z.object({ kind: z.literal("folder_indexed"), folder: z.string(), files: z.int() }),
    z.object({
      kind: z.literal("files_failed"),
      folder: z.string(),
      failed: z.int(),
      names: z.array(z.string()).meta({ description: "The first of those that failed" }),
      indexed: z.int(),
    }),
    z.object({ kind: z.literal("ticket_changed"), status: TicketStatus }),
    z.object({ kind: z.literal("report_refused") }),
    z.object({ kind: z.literal("integration_changed"), integration: z.string() }),
    z.object({ kind: z.literal("update_available"), version: z.string() }),
    z.object({ kind: z.literal("database_damaged"), tables: z.array(z.string()) }),
    z.object({ kind: z.literal("changes_missing") }),
    z.object({ kind: z.literal("data_moved"), from: z.string(), to: z.string() }),
  ])
  .meta({ id: "BoxNews" })
export type BoxNews = z.infer<typeof BoxNews>
