import { z } from "zod"
import { SentenceBody } from "./sentence.ts"
import { TicketStatus } from "./tickets.ts"

/** Why something failed. Older notifications have this only in their description. */
const failure = {
  about: z.string().optional().meta({ description: "What it happened to, as somebody wrote it" }),
  reason: z.string().optional(),
  sentence: SentenceBody.optional().meta({ description: "What the reason is made of" }),
}

/** How much of all files was read for an answer from whole documents. */
export const CoverageSummary = z
  .object({
    amounts: z.array(
      z.object({ unit: z.enum(["page", "sheet", "slide", "line", "part"]), read: z.int(), of: z.int() }),
    ),
    files: z.int(),
    skipped: z.int().meta({ description: "Files of which nothing was read" }),
    partly: z.int().meta({ description: "Files of which not all was read" }),
  })
  .meta({ id: "CoverageSummary" })
export type CoverageSummary = z.infer<typeof CoverageSummary>

/** The question of an answer from whole documents, and how much was read for it. */
const read = { about: z.string().optional(), read: CoverageSummary.optional() }

/**
 * The content of one of the box's own notifications, for apps that show it in their user's language. Its title and description say the same
 * in English. Anything that isn't included, such as a chat's title, is in the description.
 */
export const BoxNews = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("answer_ready"), ...read }),
    z.object({ kind: z.literal("answer_failed"), ...read }),
    z.object({
      kind: z.literal("approval_wanted"),
      tool: z.string(),
      toolCallId: z.string().optional(),
      outcome: z
        .enum(["allowed", "denied", "expired"])
        .optional()
        .meta({ description: "What became of the call, once it doesn't wait any more" }),
    }),
    z.object({ kind: z.literal("question_held"), ...failure }),
    z.object({ kind: z.literal("automation_done"), automation: z.string() }),
    z.object({ kind: z.literal("automation_failed"), automation: z.string(), ...failure }),
    z.object({ kind: z.literal("automation_off"), automation: z.string(), ...failure }),
    z.object({
      kind: z.literal("standing_changed"),
      automation: z.string(),
      before: z.string(),
      now: z.string(),
    }),
    z.object({ kind: z.literal("model_ready"), model: z.string() }),
    z.object({ kind: z.literal("model_failed"), model: z.string(), ...failure }),
    z.object({ kind: z.literal("folder_indexed"), folder: z.string(), files: z.int() }),
    z.object({
      kind: z.literal("files_failed"),
      folder: z.string(),
      failed: z.int(),
      names: z.array(z.string()).meta({ description: "The first of those that failed" }),
      indexed: z.int(),
      programFaults: z
        .int()
        .optional()
        .meta({ description: "How many of those that failed may have failed by a fault of Casella" }),
    }),
    z.object({ kind: z.literal("ticket_changed"), status: TicketStatus }),
    z.object({ kind: z.literal("report_refused"), ...failure }),
    z.object({ kind: z.literal("integration_changed"), integration: z.string() }),
    z.object({ kind: z.literal("update_available"), version: z.string() }),
    z.object({ kind: z.literal("database_damaged"), tables: z.array(z.string()) }),
    z.object({ kind: z.literal("backup_failed"), ...failure }),
    z.object({ kind: z.literal("changes_missing") }),
    z.object({ kind: z.literal("backup_restored") }),
    z.object({ kind: z.literal("data_moved"), from: z.string(), to: z.string() }),
  ])
  .meta({ id: "BoxNews" })
export type BoxNews = z.infer<typeof BoxNews>
