import { useMutation, useQuery } from "@tanstack/react-query"
import { box, hasCode } from "../lib/box.ts"
import { forgetReportDrafts } from "../lib/report-storage.ts"
import { forgetSignedInByProvider, keepSignedInByProvider } from "../lib/browser/signed-in-by-provider.ts"
import { forgetSessionSecret, keepSessionSecret } from "../lib/browser/session-secret.ts"
import { readMe } from "./first-screen.ts"
import { queryClient, sessionKey } from "./query-client.ts"

const retryMs = 3_000

/** Who is signed in; null when nobody is. With who it is comes, at first, what the page shows. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) =>
      readMe(signal).catch((error: unknown) => {
        if (hasCode(error, "unauthorized")) return null
        throw error
      }),
    staleTime: Infinity,
    // Who opened the page too early is let in by itself.
    refetchInterval: ({ state }) => (state.status === "error" && state.data === undefined ? retryMs : false),
  })
}

/** Exchanges a one-time token, of a link or of a provider, for a session; with `replace` also where somebody else is signed in. */
export function useSignIn(byProvider: boolean) {
  return useMutation({
    mutationFn: async (body: { token: string; replace: boolean }) => {
      const { secret } = await box.account.signIn({ body })
      if (secret !== null) keepSessionSecret(secret)
      if (byProvider) keepSignedInByProvider()
      else forgetSignedInByProvider()
    },
    onSuccess: (_, { replace }) => {
      if (replace) forgetPerson()
    },
    // Removed and not read again: a question asked before the cookie was there may still be on its way.
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

/** No draft of who leaves stays for who comes next. What the page has in memory goes with a reload. */
function forgetPerson(): void {
  sessionStorage.clear()
  forgetReportDrafts()
  for (const key of Object.keys(localStorage)) if (key.startsWith("draft:")) localStorage.removeItem(key)
}

/** Whether who is signed in owns a workspace of the box. */
export function useOwner(): boolean {
  const { data: session } = useSession()
  return session?.workspaces.some(({ role }) => role === "owner") ?? false
}
