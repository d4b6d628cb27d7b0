import { z } from "zod"
import { StreamStatus } from "./chat.ts"
import { FileEntry } from "./files.ts"
import { ModelDownload, ModelRole } from "./model-files.ts"
import { ModelState } from "./models.ts"
import { Notification, Presentation } from "./notifications.ts"
import { Id } from "./primitives.ts"

export { socketPath } from "./session.ts"

/** A message of the box to connected apps. Clients ignore types they don't know. */
export const SocketMessage = z
  .discriminatedUnion("type", [
    // `news`: how much the user's apps were told so far, as the first screen says of when it was read.
    z.object({ type: z.literal("hello"), userId: Id, unreadCount: z.int(), news: z.int() }),
    z.object({ type: z.literal("notification"), notification: Notification, present: Presentation }),
    z.object({ type: z.literal("notification.updated"), notification: Notification }),
    z.object({ type: z.literal("notification.deleted"), id: Id }),
    // Sent whenever a user's feed changed, also when the count is the same: lists on screen are read anew.
    z.object({ type: z.literal("unread"), count: z.int() }),
    z.object({ type: z.literal("file"), vectorId: Id, file: FileEntry }),
    z.object({ type: z.literal("file.deleted"), vectorId: Id, fileId: Id }),
    z.object({ type: z.literal("folder"), vectorId: Id }),
    z.object({ type: z.literal("chat"), chatId: z.string(), status: StreamStatus }),
    // Questions that wait in the chat changed: read them anew.
    z.object({ type: z.literal("queue"), chatId: z.string() }),
    z.object({
      type: z.literal("approval"),
      chatId: z.string(),
      toolCallId: z.string(),
      toolName: z.string(),
    }),
    // null: the role has no model any more.
    z.object({ type: z.literal("model"), role: ModelRole, model: ModelState.nullable() }),
    // The user's projects changed, or which chats are in them: read them anew.
    z.object({ type: z.literal("projects") }),
    z.object({ type: z.literal("automations") }),
    // Assistants that the user may ask changed: read them anew.
    z.object({ type: z.literal("assistants") }),
    // The user's reports to support changed: read them anew.
    z.object({ type: z.literal("support") }),
    // Settings that everyone sees changed: read them anew.
    z.object({ type: z.literal("settings") }),
    z.object({ type: z.literal("model.download"), download: ModelDownload }),
  ])
  .meta({ id: "SocketMessage" })
export type SocketMessage = z.infer<typeof SocketMessage>
