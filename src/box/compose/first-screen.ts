import type { api } from "../../shared/contract/api.ts"
import { describeCaller } from "../features/accounts/routes.ts"
import type { createModelNews } from "../features/models/model-news.ts"
import type { ConnectedApps } from "../http/sockets.ts"
import type { Handlers } from "../http/serve.ts"
import type { Accounts } from "./accounts.ts"
import type { composeAutomations } from "./automations.ts"
import type { Chat } from "./chat.ts"
import type { Library } from "./library/library.ts"

type Parts = Pick<Accounts, "people" | "settings" | "notifications"> &
  Pick<Library, "folders"> &
  Pick<Chat, "assistants" | "projects" | "chat" | "conversations" | "queue"> & {
    modelNews: Pick<ReturnType<typeof createModelNews>, "state">
    automations: Pick<ReturnType<typeof composeAutomations>, "has">
  }

/** The same number of each that the page first requests. */
const firstConversations = { limit: 100, offset: 0 }
const firstPinned = { limit: 50, offset: 0 }
const firstAssistants = { limit: 200, offset: 0 }
const firstProjects = { limit: 200, offset: 0 }

/** Returns everything that the page needs to be drawn: one request instead of eight. */
export const pageHandlers = (parts: Parts, apps: Pick<ConnectedApps, "told">): Handlers<typeof api.page> => ({
  async firstScreen({ caller: { userId } }) {
    const news = apps.told(userId) // before anything is read: changes in the meantime are news
    const {
      people,
      chat,
      folders,
      conversations,
      queue,
      assistants,
      projects,
      modelNews,
      settings,
      notifications,
      automations,
    } = parts
    return {
      me: await describeCaller(people, userId),
      folders: await folders.list(userId),
      conversations: await conversations.list(userId, firstConversations, {}),
      pinned: await conversations.list(userId, firstPinned, { pinned: true }),
      activity: await chat.activity(userId),
      queues: { chats: await queue.chats(userId) },
      assistants: await assistants.list(userId, firstAssistants),
      projects: await projects.list(userId, firstProjects),
      models: modelNews.state(),
      settings: { settings: await settings.of(userId) },
      unread: { count: await notifications.unreadCount(userId) },
      hasAutomations: await automations.has(userId),
      news,
    }
  },
})
