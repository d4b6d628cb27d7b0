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
    me: account.me.output,
    folders: folders.list.output,
    conversations: conversations.list.output,
    pinned: conversations.list.output,
    queues: queue.chats.output,
    activity: chat.activity.output,
    assistants: assistants.list.output,
    projects: projects.list.output,
    models: models.state.output,
    settings: settings.read.output,
    unread: notifications.unreadCount.output,
    hasAutomations: z.boolean().meta({ description: "Whether the caller has one, switched on or off" }),
    news: z.int().meta({
      description:
        "How much the box has told the caller's apps by then; the WebSocket's `hello` says the same of its beginning",
    }),
  })
  .meta({ id: "FirstScreen" })
export type FirstScreen = z.infer<typeof FirstScreen>

export const page = {
  firstScreen: json({
    method: "get",
    path: firstScreenPath,
    summary: "All that the app's page shows first, in one answer",
    access: "full",
    large: true,
    output: FirstScreen,
  }),
} as const
