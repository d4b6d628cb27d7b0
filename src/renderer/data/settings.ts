import { useMutation, useQuery } from "@tanstack/react-query"
import type { Category } from "../../shared/contract/notification-categories.ts"
import type { Settings, WebSearchChoice, Pin } from "../../shared/contract/settings.ts"
import { box, describeError } from "../lib/box.ts"
import { showToast } from "../lib/toasts.ts"
import { queryClient } from "./query-client.ts"

const settingsKey = ["settings"] as const

/** Settings of the box and of the signed-in user. */
export function useSettings() {
  return useQuery({
    queryKey: settingsKey,
    queryFn: async ({ signal }) => (await box.settings.read({}, { signal })).settings,
  })
}

/** Caches the settings from the first screen. */
export function cacheSettings(settings: Settings): void {
  queryClient.setQueryData(settingsKey, settings)
}

export const refreshSettings = () => queryClient.invalidateQueries({ queryKey: settingsKey })

/** Mutes notification categories; categories not listed are unmuted. */
export function useMuteCategories() {
  return useMutation({
    mutationFn: (mutedCategories: Category[]) => box.settings.update({ body: { mutedCategories } }),
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}

/** Switches local-only on or off. Settles after everything it forbids has stopped. */
export function useChangeLocalOnly() {
  return useMutation({
    mutationFn: (changes: Partial<Pick<Settings, "localOnly" | "localOnlyPrograms">>) =>
      box.settings.update({ body: changes }),
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}

/** Selects the web search provider. A given key is stored and never read back. */
export function useChooseWebSearch() {
  return useMutation({
    mutationFn: (webSearch: WebSearchChoice) => box.settings.update({ body: { webSearch } }),
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}

/** Sets how much may be read whole for one answer. */
export function useChangeWholeLimit() {
  return useMutation({
    mutationFn: (wholeLimit: Settings["wholeLimit"]) => box.settings.update({ body: { wholeLimit } }),
    onSuccess: ({ settings }) => queryClient.setQueryData(settingsKey, settings),
  })
}

/** Allows downloads of web pages from a host in the owner's network. */
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

/** Folders, projects and assistants pinned in the sidebar. */
export const usePins = (): Pin[] => useSettings().data?.pins ?? []

/** Whether an item is pinned, and a function that toggles it. */
export function usePin({ kind, id }: Pin): [pinned: boolean, toggle: () => void] {
  const pins = usePins()
  const { mutate } = useMutation({
    mutationFn: (next: Pin[]) => box.settings.update({ body: { pins: next } }),
    onSuccess: ({ settings }) => cacheSettings(settings),
    onError: (error) => showToast(describeError(error), "error"),
  })
  const others = pins.filter((pin) => pin.kind !== kind || pin.id !== id)
  const pinned = others.length < pins.length
  return [pinned, () => mutate(pinned ? others : [...others, { kind, id }])]
}
