import { z } from "zod"
import { json, upload } from "./endpoint.ts"
import { Id, queryBoolean, Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"

/** The content of an export, shown before it is imported. */
export const FoundChats = z
  .object({
    chats: z.int().describe("Chats in the file."),
    here: z
      .int()
      .describe("Chats of the file that were imported earlier, perhaps without all of their messages."),
    from: Timestamp.nullable().describe("When the oldest chat was started; null if unknown."),
    to: Timestamp.nullable().describe("When the newest chat was last continued; null if unknown."),
  })
  .meta({ id: "FoundChats", description: "What an export contains, shown before it is imported." })
export type FoundChats = z.infer<typeof FoundChats>

const SkippedChat = z.object({
  what: z.string().describe("Title of the chat, `chat 3` if it has none, or `import` for the whole file."),
  title: z.string().nullable().describe("Title of the chat; null if it has none."),
  number: z.int().nullable().describe("Position of the chat in the file, from 1; null for the whole file."),
  reason: z.string().describe("Why it was skipped, in a sentence for people."),
  sentence: SentenceBody.optional(),
})

/** An import of another program's chats. */
export const ChatImport = z
  .object({
    id: Id.describe("Identifier of the import."),
    status: z
      .enum(["queued", "checking", "found", "running", "completed", "stopped", "failed"])
      .describe(
        "State of the import. `checking` and `found` occur only with `hold`: after `found`, the import waits to be confirmed.",
      ),
    found: FoundChats.nullable().describe(
      "Contents of the file. Only with `hold`, after the file was checked; otherwise null.",
    ),
    done: z.int().describe("Chats of the file that were processed."),
    chats: z.int().describe("Chats that are new or have new messages."),
    messages: z.int().describe("New messages."),
    known: z.int().describe("Chats that were already here with all of their messages."),
    skipped: z.array(SkippedChat).describe("What was not imported and why, at most 1,000 entries."),
    skippedCount: z.int().describe("Number of skipped chats, including those beyond the first 1,000."),
    createdAt: Timestamp.describe("When the file was uploaded."),
    endedAt: Timestamp.nullable().describe("When the import ended; null until then."),
  })
  .meta({ id: "ChatImport", description: "An import of chats from another program." })
export type ChatImport = z.infer<typeof ChatImport>

const output = z.object({ import: ChatImport.describe("The import.") })

export const chatImports = {
  start: upload({
    method: "post",
    path: "/api/public/chats/import",
    summary: "Import chats",
    description:
      "Imports an export of ChatGPT, Claude or Open WebUI, as ZIP or JSON. Each chat is imported once, also if the file is uploaded again.",
    errors: ["conflict", "file_too_large"],
    scope: "assistants",
    query: z.object({
      hold: queryBoolean.describe(
        "true only checks the file. Nothing is imported until the import is confirmed.",
      ),
    }),
    form: { file: ["file"], maxFileBytes: 2 ** 31 },
    status: 202,
    output,
  }),
  read: json({
    method: "get",
    path: "/api/public/chats/import/:id",
    summary: "Get an import",
    description: "Returns the progress of an import and what it skipped.",
    scope: "assistants",
    output,
  }),
  newest: json({
    method: "get",
    path: "/api/public/chat-imports/newest",
    summary: "Get the newest import",
    description: "Returns the caller's newest import of the last 30 days.",
    scope: "assistants",
    output: z.object({
      import: ChatImport.nullable().describe("The newest import; null if there is none of the last 30 days."),
    }),
  }),
  confirm: json({
    method: "post",
    path: "/api/public/chats/import/:id/confirm",
    summary: "Confirm an import",
    description: "Imports the chats of a file that was only checked (`hold`).",
    errors: ["conflict"],
    scope: "assistants",
    status: 202,
    output,
  }),
  stop: json({
    method: "post",
    path: "/api/public/chats/import/:id/stop",
    summary: "Stop an import",
    description: "Ends an import. Chats that it already imported are kept.",
    scope: "assistants",
    output,
  }),
} as const
