import type { FirstScreen } from "../../shared/contract/first-screen.ts"
import { box } from "../lib/box.ts"
import { firstScreen } from "../lib/first-screen/take.ts"
import { cacheActivity } from "./chats/activity.ts"
import { cacheAssistants } from "./assistants.ts"
import { cacheConversations, cachePinnedConversations } from "./chats/conversations.ts"
import { cacheHasAutomations } from "./has-automations.ts"
import { cacheFolders } from "./folders/folders.ts"
import { cacheModels } from "./models/models.ts"
import { cacheUnreadCount } from "./notifications.ts"
import { cacheChatQueues } from "./chats/queue.ts"
import { cacheProjects } from "./projects.ts"
import { cacheSettings } from "./settings.ts"

let news: number | undefined

/** Returns the signed-in user. The first response also contains everything the page shows initially. */
export async function readMe(signal: AbortSignal): Promise<FirstScreen["me"]> {
  if (news !== undefined) return box.account.me({}, { signal })
  const screen = await firstScreen(signal)
  cacheFolders(screen.folders.vectors)
  cachePinnedConversations(screen.pinned)
  cacheConversations(screen.conversations)
  cacheChatQueues(screen.queues.chats)
  cacheActivity(screen.activity)
  cacheAssistants(screen.assistants)
  cacheProjects(screen.projects)
  cacheModels(screen.models)
  cacheSettings(screen.settings.settings)
  cacheUnreadCount(screen.unread.count)
  cacheHasAutomations(screen.hasAutomations)
  news = screen.news
  return screen.me
}

/** Whether news arrived since the first screen, so that its data must be reloaded. */
export const isOutdated = (newsNow: number): boolean => news !== undefined && news !== newsNow
