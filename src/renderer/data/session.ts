import { useMutation, useQuery } from "@tanstack/react-query"
import { box, hasCode } from "../lib/box.ts"
import { forgetReportDrafts } from "../lib/report-storage.ts"
import { forgetSignedInByProvider, storeSignedInByProvider } from "../lib/browser/signed-in-by-provider.ts"
import { forgetSessionSecret, storeSessionSecret } from "../lib/browser/session-secret.ts"
import { readMe } from "./first-screen.ts"
import { queryClient, sessionKey } from "./query-client.ts"

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
