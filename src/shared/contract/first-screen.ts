import { z } from "zod"
import { firstScreenPath } from "../app-routes.ts"
import { account } from "./accounts.ts"
import { assistants } from "./assistants.ts"
import { chat } from "./chat.ts"
import { conversations } from "./conversations.ts"
import { json } from "./endpoint.ts"
import { folders } from "./folders.ts"
import { models } from "./models.ts"
import { notifications } from "./notifications.ts"
import { projects } from "./projects.ts"
import { queue } from "./queue.ts"
import { settings } from "./settings.ts"

/** Responses of other endpoints that an opening page needs, in the same form; for paged lists, the first page. */
export const FirstScreen = z
  .object({
    me: account.me.output.describe("Response of `GET /api/public/me`."),
    folders: folders.list.output.describe("Response of `GET /api/public/vectors`."),
    conversations: conversations.list.output.describe("Response of `GET /api/public/chats`."),
    pinned: conversations.list.output.describe("Response of `GET /api/public/chats?pinned=true`."),
    queues: queue.chats.output.describe("Response of `GET /api/public/chat-queues`."),
    activity: chat.activity.output.describe("Response of `GET /api/ai/activity`."),
    assistants: assistants.list.output.describe("Response of `GET /api/public/assistants`."),
    projects: projects.list.output.describe("Response of `GET /api/public/projects`."),
    models: models.state.output.describe("Response of `GET /api/public/models/state`."),
    settings: settings.read.output.describe("Response of `GET /api/public/settings`."),
    unread: notifications.unreadCount.output.describe(
      "Response of `GET /api/public/notifications/unread-count`.",
    ),
    hasAutomations: z.boolean().describe("true if the caller has an automation, switched on or off."),
    news: z
      .int()
      .describe(
        "Number of WebSocket messages sent to the caller so far. The message `hello` has the same counter.",
      ),
  })
  .meta({
    id: "FirstScreen",
    description:
      "The responses of several endpoints that the app needs when it opens. Lists have their first page.",
  })
export type FirstScreen = z.infer<typeof FirstScreen>

export const page = {
  firstScreen: json({
    method: "get",
    path: firstScreenPath,
    summary: "Get what the app shows first",
    description:
      "Returns the responses of several endpoints at once, so that the app opens with a single request.",
    access: "full",
    large: true,
    output: FirstScreen,
  }),
} as const
