import { z } from "zod"
import { StreamStatus } from "./chat.ts"
import { FileEntry } from "./files.ts"
import { ModelDownload, ModelRole, ModelState } from "./models.ts"
import { Notification, Presentation } from "./notifications.ts"
import { Id } from "./primitives.ts"

export { socketPath } from "./session.ts"

/** A message from the box to connected apps. Clients ignore types that they don't know. */
export const SocketMessage = z
  .discriminatedUnion("type", [
    // `news`: how much the box has reported to the user's apps so far. The first screen states the same for the time it was read.
    z.object({ type: z.literal("hello"), userId: Id, unreadCount: z.int(), news: z.int() }),
    z.object({ type: z.literal("notification"), notification: Notification, present: Presentation }),
    z.object({ type: z.literal("notification.updated"), notification: Notification }),
    z.object({ type: z.literal("notification.deleted"), id: Id }),
    // Sent whenever a user's feed changed, even if the count is the same, so that visible lists are read again.
    z.object({ type: z.literal("unread"), count: z.int() }),
    z.object({ type: z.literal("file"), vectorId: Id, file: FileEntry }),
    z.object({ type: z.literal("file.deleted"), vectorId: Id, fileId: Id }),
    z.object({ type: z.literal("folder"), vectorId: Id }),
    z.object({ type: z.literal("chat"), chatId: z.string(), status: StreamStatus }),
    // The queued questions of the chat changed: read them again.
    z.object({ type: z.literal("queue"), chatId: z.string() }),
    z.object({
      type: z.literal("approval"),
      chatId: z.string(),
      toolCallId: z.string(),
      toolName: z.string(),
    }),
    // null: the role no longer has a model.
    z.object({ type: z.literal("model"), role: ModelRole, model: ModelState.nullable() }),
    // The user's projects, or the chats in them, changed: read them again.
    z.object({ type: z.literal("projects") }),
    z.object({ type: z.literal("automations") }),
    // The assistants available to the user changed: read them again.
    z.object({ type: z.literal("assistants") }),
    // The user's support reports changed: read them again.
    z.object({ type: z.literal("support") }),
    // Settings that everyone sees changed: read them again.
    z.object({ type: z.literal("settings") }),
    z.object({ type: z.literal("model.download"), download: ModelDownload }),
  ])
  .meta({ id: "SocketMessage" })
export type SocketMessage = z.infer<typeof SocketMessage>
