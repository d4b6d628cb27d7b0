import { useMutation, useQuery } from "@tanstack/react-query"
import type { Category } from "../../shared/contract/notification-categories.ts"
import type { Settings } from "../../shared/contract/settings.ts"
import type { WebSearchChoice } from "../../shared/contract/web-search.ts"
import { box } from "../lib/box.ts"
import { queryClient } from "./query-client.ts"

const settingsKey = ["settings"] as const

/** Settings of the box and of who is signed in. */
export function useSettings() {
  return useQuery({
    queryKey: settingsKey,
    queryFn: async ({ signal }) => (await box.settings.read({}, { signal })).settings,
  })
}

/** Keeps what the first screen brought. */
export function knowSettings(settings: Settings): void {
  queryClient.setQueryData(settingsKey, settings)
}

export const refreshSettings = () => queryClient.invalidateQueries({ queryKey: settingsKey })

/** Switches categories of notifications off; those not named are on. */
export function useMuteCategories() {
  return useMutation({
    mutationFn: (mutedCategories: Category[]) => box.settings.update({ body: { mutedCategories } }),
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}

/** Switches local-only; settles once nothing that it forbids goes on. */
export function useChangeLocalOnly() {
  return useMutation({
    mutationFn: (changes: Partial<Pick<Settings, "localOnly" | "localOnlyPrograms">>) =>
      box.settings.update({ body: changes }),
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}

/** Chooses who searches the web; a key that is given is stored and never read again. */
export function useChooseWebSearch() {
  return useMutation({
    mutationFn: (webSearch: WebSearchChoice) => box.settings.update({ body: { webSearch } }),
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}

/** Says how much may be read whole for one answer. */
export function useChangeWholeLimit() {
  return useMutation({
    mutationFn: (wholeLimit: Settings["wholeLimit"]) => box.settings.update({ body: { wholeLimit } }),
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}

/** Lets web pages of a host in the owner's own network be fetched. */
export const useAllowPrivateHost = () =>
  useChangePrivateHosts((hosts, host) => [...new Set([...hosts, host])])

export const useForgetPrivateHost = () =>
  useChangePrivateHosts((hosts, host) => hosts.filter((other) => other !== host))

function useChangePrivateHosts(change: (hosts: string[], host: string) => string[]) {
  return useMutation({
    mutationFn: async (host: string) => {
      const { settings } = await box.settings.read({})
      const allowedPrivateHosts = change(settings.allowedPrivateHosts, host)
      return box.settings.update({ body: { allowedPrivateHosts } })
    },
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}
