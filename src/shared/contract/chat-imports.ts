import { z } from "zod"
import { json, upload } from "./endpoint.ts"
import { Id, queryBoolean, Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"

/** The content of an export, shown before it is imported. */
export const FoundChats = z
  .object({
    chats: z.int(),
    here: z
      .int()
      .meta({ description: "Of them, those that came before, perhaps without all of their messages" }),
    from: Timestamp.nullable().meta({ description: "When the oldest began" }),
    to: Timestamp.nullable().meta({ description: "When the newest was last gone on with" }),
  })
  .meta({ id: "FoundChats" })
export type FoundChats = z.infer<typeof FoundChats>

const SkippedChat = z.object({
  what: z.string().meta({ description: "Its title, `chat 3` where it has none, or `import`: all of it" }),
  title: z.string().nullable(),
  number: z
    .int()
    .nullable()
    .meta({ description: "Which of the file's chats it is, from 1; null: all of it" }),
  reason: z.string(),
  sentence: SentenceBody.optional(),
})

/** An import of another program's chats. */
export const ChatImport = z
  .object({
    id: Id,
    status: z
      .enum(["queued", "checking", "found", "running", "completed", "stopped", "failed"])
      .meta({ description: "`checking` and `found` only with `hold`: it waits to be confirmed then" }),
    found: FoundChats.nullable().meta({ description: "With `hold`, once the file was looked through" }),
    done: z.int().meta({ description: "Chats of the file that were looked at so far" }),
    chats: z.int().meta({ description: "Chats that are new, or have new messages, so far" }),
    messages: z.int().meta({ description: "New messages so far" }),
    known: z.int().meta({ description: "Chats that were here already, with all of their messages" }),
    skipped: z.array(SkippedChat).meta({ description: "What wasn't taken over, and why; the first 1,000" }),
    skippedCount: z.int().meta({ description: "How many that are, of those after the first 1,000 too" }),
    createdAt: Timestamp,
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: "ChatImport" })
export type ChatImport = z.infer<typeof ChatImport>

const output = z.object({ import: ChatImport })

export const chatImports = {
  start: upload({
    method: "post",
    path: "/api/public/chats/import",
    summary: "Import chats that ChatGPT, Claude or Open WebUI exported, as ZIP or JSON; each comes once",
    scope: "assistants",
    query: z.object({
      hold: queryBoolean.meta({
        description: "true: only look what is in the file; nothing is taken over before it is confirmed",
      }),
    }),
    form: { file: ["file"], maxFileBytes: 2 ** 31 },
    status: 202,
    output,
  }),
  read: json({
    method: "get",
    path: "/api/public/chats/import/:id",
    summary: "How far an import is, and what it skipped",
    scope: "assistants",
    output,
  }),
  newest: json({
    method: "get",
    path: "/api/public/chat-imports/newest",
    summary: "The caller's newest import; null where there is none of the last 30 days",
    scope: "assistants",
    output: z.object({ import: ChatImport.nullable() }),
  }),
  confirm: json({
    method: "post",
    path: "/api/public/chats/import/:id/confirm",
    summary: "Take over the chats of an export that was only looked at",
    scope: "assistants",
    status: 202,
    output,
  }),
  stop: json({
    method: "post",
    path: "/api/public/chats/import/:id/stop",
    summary: "End an import; chats that it brought stay",
    scope: "assistants",
    output,
  }),
} as const
