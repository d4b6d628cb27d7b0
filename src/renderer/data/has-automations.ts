import { skipToken, useQuery } from "@tanstack/react-query"
import { queryClient } from "./query-client.ts"

/** The key of all that is read of automations. */
export const automationsKey = ["automations"] as const

const storageKey = "has-automations"
const hasKey = [storageKey] as const

/** Whether there was an automation when that was last heard on this computer: the first screen doesn't say. */
export const useHasAutomations = (): boolean =>
  useQuery({
    queryKey: hasKey,
    queryFn: skipToken,
    initialData: () => localStorage.getItem(storageKey),
  }).data === "true"

export function knowHasAutomations(has: boolean): void {
  queryClient.setQueryData(hasKey, String(has))
  localStorage.setItem(storageKey, String(has))
}

/** The box told of automations, so there are some; where the last one was deleted, reading them anew says so. */
export function hearOfAutomations(): void {
  knowHasAutomations(true)
  void queryClient.invalidateQueries({ queryKey: automationsKey })
}
