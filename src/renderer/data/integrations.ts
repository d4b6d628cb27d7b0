import { useMutation, useQuery } from "@tanstack/react-query"
import type { z } from "zod"
import type {
  FunctionMark,
  Integration,
  ServerChange,
  ServerDraft,
} from "../../shared/contract/integrations.ts"
import { box } from "../lib/box.ts"
import { shellBridge } from "../lib/browser/shell-bridge.ts"
import { queryClient } from "./query-client.ts"

const integrationsKey = ["integrations"] as const
const oneKey = (key: string) => [...integrationsKey, key] as const

/** How often to check whether the user has signed in elsewhere. */
const pollMs = 1500

export function useIntegrations() {
  return useQuery({
    queryKey: integrationsKey,
    queryFn: async ({ signal }) => (await box.integrations.list({}, { signal })).integrations,
    staleTime: 0,
  })
}

export function useIntegration(key: string, { polled = false } = {}) {
  return useQuery({
    queryKey: oneKey(key),
    queryFn: async ({ signal }) => (await box.integrations.read({ params: { key } }, { signal })).integration,
    staleTime: 0,
    refetchInterval: polled ? pollMs : false,
  })
}

/** Caches the box's response immediately, then reloads the lists of integrations and tools. */
function keep(integration: Integration): Promise<unknown> {
  queryClient.setQueryData(oneKey(integration.key), integration)
  return refreshIntegrations()
}

export const refreshIntegrations = (): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: integrationsKey, exact: true }),
    queryClient.invalidateQueries({ queryKey: ["tools"] }),
  ])

export function useAddServer() {
  return useMutation({
    mutationFn: (body: z.input<typeof ServerDraft>) => box.integrations.add({ body }),
    onSuccess: ({ integration }) => keep(integration),
  })
}

export function useUpdateServer(key: string) {
  return useMutation({
    mutationFn: (body: z.input<typeof ServerChange>) => box.integrations.update({ params: { key }, body }),
    onSuccess: ({ integration }) => keep(integration),
  })
}

export function useRemoveServer() {
  return useMutation({
    mutationFn: (key: string) => box.integrations.remove({ params: { key } }),
    onSuccess: ({ key }) => {
      queryClient.removeQueries({ queryKey: oneKey(key) })
      return refreshIntegrations()
    },
  })
}

export function useLink(key: string) {
  return useMutation({
    mutationFn: (consent: string | null) =>
      box.integrations.link({ params: { key }, body: consent === null ? {} : { consent } }),
    onSuccess: ({ integration }) => keep(integration),
    onError: refreshIntegrations,
  })
}

/** The result of a sign-in that this app started and that ended in a browser without a session. Used only in the desktop app. */
export function useAnsweredSignIn(state: string) {
  return useQuery({
    queryKey: ["integration-sign-in", state],
    queryFn: ({ signal }) => box.integrations.signIn({ body: { state } }, { signal }),
    enabled: shellBridge() !== undefined,
    staleTime: 0,
    retry: false,
    refetchInterval: ({ state: { status } }) => (status === "error" ? false : pollMs),
  })
}

export function useFinishLink(key: string) {
  return useMutation({
    mutationFn: (state: string) => box.integrations.finish({ body: { state } }),
    onSuccess: ({ integration }) => keep(integration),
    onError: () => queryClient.invalidateQueries({ queryKey: oneKey(key) }),
  })
}

export function useUnlink() {
  return useMutation({
    mutationFn: (key: string) => box.integrations.unlink({ params: { key } }),
    onSuccess: ({ integration }) => keep(integration),
  })
}

export function useCheck() {
  return useMutation({
    mutationFn: (key: string) => box.integrations.check({ params: { key } }),
    onSuccess: ({ integration }) => keep(integration),
  })
}

export function useApprove(key: string) {
  return useMutation({
    mutationFn: (hashes: string[]) => box.integrations.approve({ params: { key }, body: { hashes } }),
    onSuccess: ({ integration }) => keep(integration),
    onError: () => queryClient.invalidateQueries({ queryKey: oneKey(key) }),
  })
}

export function useMark(key: string) {
  return useMutation({
    mutationFn: (body: FunctionMark) => box.integrations.mark({ params: { key }, body }),
    onSuccess: ({ integration }) => keep(integration),
  })
}
