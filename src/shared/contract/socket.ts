import { z } from "zod"
import { StreamStatus } from "./chat.ts"
import { FileEntry } from "./files.ts"
import { ModelState } from "./models.ts"
import { Id } from "./primitives.ts"

/** Address of the WebSocket (decisions.md 11). */
export const socketPath = "/api/public/ws"

/** A message of the box to connected apps. Clients ignore types they don't know. */
export const SocketMessage = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("hello"), userId: Id, unreadCount: z.int() }),
    z.object({ type: z.literal("unread"), count: z.int() }),
    z.object({ type: z.literal("file"), vectorId: Id, file: FileEntry }),
    z.object({ type: z.literal("file.deleted"), vectorId: Id, fileId: Id }),
    z.object({ type: z.literal("folder"), vectorId: Id }),
    z.object({ type: z.literal("chat"), chatId: z.string(), status: StreamStatus }),
    z.object({ type: z.literal("model"), role: z.enum(["chat", "embedding"]), model: ModelState }),
  ])
  .meta({ id: "SocketMessage" })
export type SocketMessage = z.infer<typeof SocketMessage>
