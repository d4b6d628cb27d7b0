import { skipToken, useQuery } from "@tanstack/react-query"
import { box } from "../lib/box.ts"
import { queryClient } from "./query-client.ts"

/** The cache key for everything about automations. */
export const automationsKey = ["automations"] as const

const hasKey = ["has-automations"] as const
// Keep this value for good. Reloading it would make the box load the automations code.
queryClient.setQueryDefaults(hasKey, { gcTime: Infinity })

/** Whether the user has an automation. */
export const useHasAutomations = (): boolean =>
  useQuery<boolean>({ queryKey: hasKey, queryFn: skipToken }).data === true

/** Caches the value from the first screen or from a list of automations. */
export const cacheHasAutomations = (has: boolean): unknown => queryClient.setQueryData(hasKey, has)

/** Updates the cache after the box reports created, changed or deleted automations. */
export async function refreshHasAutomations(): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: automationsKey })
  const { automations } = await box.automations.list({ query: { limit: 1 } })
  cacheHasAutomations(automations.length > 0)
}
