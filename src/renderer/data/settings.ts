import { useMutation, useQuery } from "@tanstack/react-query"
import type { Pin, Settings, SettingsPatch } from "../../shared/contract/settings.ts"
import { box } from "../lib/box.ts"
import { showError } from "../lib/toasts.ts"
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

/**
 * Changes the named settings. Settles when the change is in effect: after local-only is turned on, everything it forbids has stopped.
 * `onError` is called for each failure, even if the component that requested the change is gone by then.
 */
export function useChangeSettings(options: { onError?: (error: Error) => void } = {}) {
  return useMutation({
    ...options,
    mutationFn: (changes: SettingsPatch) => box.settings.update({ body: changes }),
    onSuccess: ({ settings }) => cacheSettings(settings),
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
    onSuccess: ({ settings }) => cacheSettings(settings),
  })
}

/** Folders, projects and assistants pinned in the sidebar. */
export const usePins = (): Pin[] => useSettings().data?.pins ?? []

/** Whether an item is pinned, and a function that toggles it. */
export function usePin({ kind, id }: Pin): [pinned: boolean, toggle: () => void] {
  const pins = usePins()
  const change = useChangeSettings({ onError: showError })
  const others = pins.filter((pin) => pin.kind !== kind || pin.id !== id)
  const pinned = others.length < pins.length
  const next = pinned ? others : [...others, { kind, id }]
  return [pinned, () => change.mutate({ pins: next })]
}
