import { skipToken, useQuery } from "@tanstack/react-query"
import { box } from "../lib/box.ts"
import { queryClient } from "./query-client.ts"

/** The key of all that is read of automations. */
export const automationsKey = ["automations"] as const

const hasKey = ["has-automations"] as const
// Nothing reads it again where it was forgotten: the box would load what runs automations.
queryClient.setQueryDefaults(hasKey, { gcTime: Infinity })

/** Whether the person has an automation. */
export const useHasAutomations = (): boolean =>
  useQuery<boolean>({ queryKey: hasKey, queryFn: skipToken }).data === true

/** Keeps what the first screen or a list of them said. */
export const knowHasAutomations = (has: boolean): unknown => queryClient.setQueryData(hasKey, has)

/** The box told that some came, changed or went. */
export async function hearOfAutomations(): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: automationsKey })
  const { automations } = await box.automations.list({ query: { limit: 1 } })
  knowHasAutomations(automations.length > 0)
}
