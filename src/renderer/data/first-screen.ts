import type { FirstScreen } from "../../shared/contract/first-screen.ts"
import { box } from "../lib/box.ts"
import { firstScreen } from "../lib/first-screen/take.ts"
import { knowActivity } from "./chats/activity.ts"
import { knowAssistants } from "./assistants.ts"
import { knowConversations, knowPinnedConversations } from "./chats/conversations.ts"
import { knowHasAutomations } from "./has-automations.ts"
import { knowFolders } from "./folders/folders.ts"
import { knowModels } from "./models/models.ts"
import { knowUnreadCount } from "./notifications.ts"
import { knowChatQueues } from "./chats/queue.ts"
import { knowProjects } from "./projects.ts"
import { knowSettings } from "./settings.ts"

let news: number | undefined

/** Returns the signed-in user. The first response also contains everything the page shows initially. */
export async function readMe(signal: AbortSignal): Promise<FirstScreen["me"]> {
  if (news !== undefined) return box.account.me({}, { signal })
  const screen = await firstScreen(signal)
  knowFolders(screen.folders.vectors)
  knowPinnedConversations(screen.pinned)
  knowConversations(screen.conversations)
  knowChatQueues(screen.queues.chats)
  knowActivity(screen.activity)
  knowAssistants(screen.assistants)
  knowProjects(screen.projects)
  knowModels(screen.models)
  knowSettings(screen.settings.settings)
  knowUnreadCount(screen.unread.count)
  knowHasAutomations(screen.hasAutomations)
  news = screen.news
  return screen.me
}

/** Whether news arrived since the first screen, so that its data must be reloaded. */
export const isOutdated = (newsNow: number): boolean => news !== undefined && news !== newsNow
