import { useMutation, useQuery } from "@tanstack/react-query"
import type { FirstScreen } from "../../shared/contract/first-screen.ts"
import { createBox, box, hasCode } from "../lib/box.ts"
import {
  forgetSignedInByProvider,
  storeSignedInByProvider,
  forgetSessionSecret,
  storeSessionSecret,
} from "../lib/browser/sign-in-storage.ts"
import { forgetReportDrafts } from "../lib/report-dialog.ts"
import { cacheAssistants } from "./assistants.ts"
import { cacheActivity, cacheConversations, cachePinnedConversations } from "./chats/conversations.ts"
import { cacheChatQueues } from "./chats/queue.ts"
import { cacheFolders } from "./folders/folders.ts"
import { cacheHasAutomations } from "./has-automations.ts"
import { cacheModels } from "./models/models.ts"
import { cacheUnreadCount } from "./notifications.ts"
import { cacheProjects } from "./projects.ts"
import { queryClient, sessionKey } from "./query-client.ts"
import { cacheSettings } from "./settings.ts"

/** Returns the first page's data: from the early request the first time, otherwise from a new one. */
function firstScreen(signal: AbortSignal): Promise<FirstScreen> {
  const started = window.firstScreen
  window.firstScreen = undefined
  return started ? createBox(() => started).page.firstScreen() : box.page.firstScreen({}, { signal })
}

let news: number | undefined

/** Returns the signed-in user. The first response also contains everything the page shows initially. */
async function readMe(signal: AbortSignal): Promise<FirstScreen["me"]> {
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

const retryMs = 3_000

/** The signed-in user; null if no one is signed in. The first response also contains everything the page shows initially. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) =>
      readMe(signal).catch((error: unknown) => {
        if (hasCode(error, "unauthorized")) return null
        throw error
      }),
    staleTime: Infinity,
    // If the page opens too early, keep retrying until the box responds.
    refetchInterval: ({ state }) => (state.status === "error" && state.data === undefined ? retryMs : false),
  })
}

/** Exchanges a one-time token from a link or a provider for a session. `replace` also replaces another user's session. */
export function useSignIn(byProvider: boolean) {
  return useMutation({
    mutationFn: async (body: { token: string; replace: boolean }) => {
      const { secret } = await box.account.signIn({ body })
      if (secret !== null) storeSessionSecret(secret)
      if (byProvider) storeSignedInByProvider()
      else forgetSignedInByProvider()
    },
    onSuccess: (_, { replace }) => {
      if (replace) forgetPerson()
    },
    // Remove the data without reloading it: a request sent before the cookie was set may still be in progress.
    onSettled: () => queryClient.removeQueries({ queryKey: sessionKey }),
  })
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => box.account.signOut(),
    onSuccess: ({ leave }) => {
      forgetPerson()
      forgetSessionSecret()
      forgetSignedInByProvider()
      if (leave === undefined) window.location.reload()
      else window.location.assign(leave)
    },
  })
}

/** Deletes the user's drafts when they sign out. A reload clears the page's memory. */
function forgetPerson(): void {
  sessionStorage.clear()
  forgetReportDrafts()
  for (const key of Object.keys(localStorage)) if (key.startsWith("draft:")) localStorage.removeItem(key)
}

/** Whether the signed-in user owns a workspace. */
export function useOwner(): boolean {
  const { data: session } = useSession()
  return session?.workspaces.some(({ role }) => role === "owner") ?? false
}
