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
    z.object({
      type: z.literal("hello").describe("The first message of a connection."),
      userId: Id.describe("Person that the connection belongs to."),
      unreadCount: z.int().describe("Unread notifications."),
      news: z.int().describe("Number of messages sent to this person so far."),
    }),
    z.object({
      type: z.literal("notification").describe("A notification was sent."),
      notification: Notification,
      present: Presentation,
    }),
    z.object({
      type: z.literal("notification.updated").describe("A notification changed."),
      notification: Notification,
    }),
    z.object({
      type: z.literal("notification.deleted").describe("A notification was deleted."),
      id: Id.describe("The notification that was deleted."),
    }),
    // Sent whenever a user's feed changed, even if the count is the same, so that visible lists are read again.
    z.object({
      type: z.literal("unread").describe("The number of unread notifications changed."),
      count: z.int().describe("Unread notifications."),
    }),
    z.object({
      type: z.literal("file").describe("A file was added or changed."),
      vectorId: Id.describe("Folder of the file."),
      file: FileEntry,
    }),
    z.object({
      type: z.literal("file.deleted").describe("A file was deleted."),
      vectorId: Id.describe("Folder of the file."),
      fileId: Id.describe("The file."),
    }),
    z.object({
      type: z.literal("folder").describe("A folder was added, changed or deleted."),
      vectorId: Id.describe("The folder."),
    }),
    z.object({
      type: z.literal("chat").describe("The state of a chat changed."),
      chatId: z.string().describe("The chat."),
      status: StreamStatus,
    }),
    // The queued questions of the chat changed: read them again.
    z.object({
      type: z.literal("queue").describe("The queue of a chat changed."),
      chatId: z.string().describe("The chat."),
    }),
    z.object({
      type: z.literal("approval").describe("A tool call waits for approval, or was decided."),
      chatId: z.string().describe("The chat."),
      toolCallId: z.string().describe("The tool call."),
      toolName: z.string().describe("Name of the tool."),
    }),
    // null: the role no longer has a model.
    z.object({
      type: z.literal("model").describe("The state of a chosen model changed."),
      role: ModelRole.describe("Role of the model."),
      model: ModelState.nullable().describe("The model; null if none is chosen."),
    }),
    // The user's projects, or the chats in them, changed: read them again.
    z.object({ type: z.literal("projects").describe("Projects changed.") }),
    z.object({ type: z.literal("automations").describe("Automations changed.") }),
    // The assistants available to the user changed: read them again.
    z.object({ type: z.literal("assistants").describe("Assistants changed.") }),
    // The user's support reports changed: read them again.
    z.object({ type: z.literal("support").describe("Support reports changed.") }),
    // Settings that everyone sees changed: read them again.
    z.object({ type: z.literal("settings").describe("Settings changed.") }),
    z.object({
      type: z.literal("model.download").describe("A download of a model made progress."),
      download: ModelDownload,
    }),
  ])
  .meta({
    id: "SocketMessage",
    description: "A WebSocket message from the server to connected apps. Ignore types that you don't know.",
  })
export type SocketMessage = z.infer<typeof SocketMessage>
