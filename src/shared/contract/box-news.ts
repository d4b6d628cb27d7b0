import { z } from "zod"
import { SentenceBody } from "./sentence.ts"
import { TicketStatus } from "./tickets.ts"

/** Why something failed. Older notifications have this only in their description. */
const failure = {
  about: z.string().optional().describe("Title of what failed, as a person or a model wrote it."),
  reason: z.string().optional().describe("Why it failed, in a sentence for people."),
  sentence: SentenceBody.optional().describe("Code and values of `reason`, for translation."),
}

/** How much of all files was read for an answer from whole documents. */
export const CoverageSummary = z
  .object({
    amounts: z
      .array(
        z.object({
          unit: z.enum(["page", "sheet", "slide", "line", "part"]).describe("Unit of `read` and `of`."),
          read: z.int().describe("Units that were read."),
          of: z.int().describe("Units that the files have."),
        }),
      )
      .describe("Amount read by unit."),
    files: z.int().describe("Files that the question was about."),
    skipped: z.int().describe("Files of which nothing was read."),
    partly: z.int().describe("Files of which only a part was read."),
  })
  .meta({
    id: "CoverageSummary",
    description: "How much of the files was read for an answer from whole documents.",
  })
export type CoverageSummary = z.infer<typeof CoverageSummary>

/** The question of an answer from whole documents, and how much was read for it. */
const read = {
  about: z.string().optional().describe("Title of the chat."),
  read: CoverageSummary.optional().describe(
    "How much of the files was read. Only for answers from whole documents.",
  ),
}

/**
 * The content of one of the box's own notifications, for apps that show it in their user's language. Its title and description say the same
 * in English. Anything that isn't included, such as a chat's title, is in the description.
 */
export const BoxNews = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("answer_ready").describe("An answer is ready."), ...read }),
    z.object({ kind: z.literal("answer_failed").describe("An answer failed."), ...read }),
    z.object({
      kind: z.literal("approval_wanted").describe("A tool call waits for approval."),
      tool: z.string().describe("Name of the tool."),
      toolCallId: z.string().optional().describe("Identifier of the tool call."),
      outcome: z
        .enum(["allowed", "denied", "expired"])
        .optional()
        .describe("What happened to the call. Missing while it waits."),
    }),
    z.object({
      kind: z.literal("question_held").describe("A queued question couldn't be asked."),
      ...failure,
    }),
    z.object({
      kind: z.literal("automation_done").describe("A run of an automation finished."),
      automation: z.string().describe("Name of the automation."),
    }),
    z.object({
      kind: z.literal("automation_failed").describe("A run of an automation failed."),
      automation: z.string().describe("Name of the automation."),
      ...failure,
    }),
    z.object({
      kind: z.literal("automation_off").describe("An automation was switched off by the server."),
      automation: z.string().describe("Name of the automation."),
      ...failure,
    }),
    z.object({
      kind: z.literal("standing_changed").describe("The answer to a standing question changed."),
      automation: z.string().describe("Name of the automation."),
      before: z.string().describe("Previous answer."),
      now: z.string().describe("New answer."),
    }),
    z.object({
      kind: z.literal("model_ready").describe("A model was downloaded."),
      model: z.string().describe("Name of the model."),
    }),
    z.object({
      kind: z.literal("model_failed").describe("The download of a model failed."),
      model: z.string().describe("Name of the model."),
      ...failure,
    }),
    z.object({
      kind: z.literal("folder_indexed").describe("All files of a folder are indexed."),
      folder: z.string().describe("Name of the folder."),
      files: z.int().describe("Files that were indexed."),
    }),
    z.object({
      kind: z.literal("files_failed").describe("Some files of a folder couldn't be indexed."),
      folder: z.string().describe("Name of the folder."),
      failed: z.int().describe("Files that failed."),
      names: z.array(z.string()).describe("Names of the first files that failed."),
      indexed: z.int().describe("Files that were indexed."),
      programFaults: z
        .int()
        .optional()
        .describe("How many of the failed files may have failed because of a fault in Casella."),
    }),
    z.object({
      kind: z.literal("ticket_changed").describe("The status of a support ticket changed."),
      status: TicketStatus.describe("New status of the ticket."),
    }),
    z.object({
      kind: z.literal("report_refused").describe("The support queue refused a report."),
      ...failure,
    }),
    z.object({
      kind: z.literal("integration_changed").describe("The tools of an integration changed."),
      integration: z.string().describe("Name of the integration."),
    }),
    z.object({
      kind: z.literal("update_available").describe("A new version of Casella is available."),
      version: z.string().describe("Version that is available."),
    }),
    z.object({
      kind: z.literal("database_damaged").describe("The database is damaged."),
      tables: z.array(z.string()).describe("Tables that can't be read."),
    }),
    z.object({ kind: z.literal("backup_failed").describe("A scheduled backup failed."), ...failure }),
    z.object({ kind: z.literal("changes_missing").describe("Recent changes are missing after a failover.") }),
    z.object({ kind: z.literal("backup_restored").describe("A backup was restored.") }),
    z.object({
      kind: z.literal("data_moved").describe("The data directory was moved."),
      from: z.string().describe("Previous path of the data directory."),
      to: z.string().describe("New path of the data directory."),
    }),
  ])
  .meta({
    id: "BoxNews",
    description:
      "The content of a notification from the server itself, for apps that show it in their user's language. `title` and `description` say the same in English.",
  })
export type BoxNews = z.infer<typeof BoxNews>
