import { z } from "zod"
import { json, upload } from "./endpoint.ts"
import { Id } from "./primitives.ts"

/** Chats of another program on their way into the box. */
export const ChatImport = z
  .object({
    id: Id,
    status: z.enum(["queued", "running", "completed", "failed"]),
    chats: z.int().meta({ description: "Chats that are new, or have new messages, so far" }),
    messages: z.int().meta({ description: "New messages so far" }),
    skipped: z
      .array(z.object({ what: z.string(), reason: z.string() }))
      .meta({ description: "What wasn't taken over, and why; the first 1,000" }),
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
    form: { file: ["file"], longestFile: 2 ** 31 },
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
} as const
