import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import type { Automation, AutomationPatch, Run } from "../../shared/contract/automations.ts"
import { box } from "../lib/box.ts"
import { automationsKey, cacheHasAutomations } from "./has-automations.ts"
import { queryClient } from "./query-client.ts"

const listKey = [...automationsKey, "all"] as const
const pageSize = 200
const runsPage = 50

async function readAll(signal: AbortSignal): Promise<Automation[]> {
  const all: Automation[] = []
  for (;;) {
    const query = { limit: pageSize, offset: all.length }
    const { automations, pagination } = await box.automations.list({ query }, { signal })
    all.push(...automations)
    if (!pagination.hasMore || automations.length === 0) break
  }
  cacheHasAutomations(all.length > 0)
  return all
}

/** The user's automations, newest first. */
export const useAutomations = () => useQuery({ queryKey: listKey, queryFn: ({ signal }) => readAll(signal) })

/** One automation; null if it doesn't exist, undefined while loading. */
export function useAutomation(id: string): { automation: Automation | null | undefined; error: unknown } {
  const { data, error } = useAutomations()
  return { automation: data && (data.find((one) => one.id === id) ?? null), error }
}

/** An automation's runs, newest first, one page at a time. */
export const useRuns = (id: string) =>
  useInfiniteQuery({
    queryKey: [...automationsKey, "runs", id],
    queryFn: ({ pageParam, signal }) =>
      box.automations.runs({ params: { id }, query: { limit: runsPage, offset: pageParam } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ pagination }) =>
      pagination.hasMore ? pagination.offset + pagination.limit : undefined,
  })

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: automationsKey })

const cacheAutomation = (changed: Automation) =>
  queryClient.setQueryData<Automation[]>(listKey, (all) =>
    all?.map((one) => (one.id === changed.id ? changed : one)),
  )

type Draft = Parameters<typeof box.automations.create>[0]["body"]

/** Creates an automation. For a webhook, the response includes its URL, which is returned only this once. */
export async function createAutomation(body: Draft) {
  const made = await box.automations.create({ body })
  queryClient.setQueryData<Automation[]>(listKey, (all) => all && [made.automation, ...all])
  await refresh()
  return made
}

/** Updates an automation. If it becomes a webhook, the response includes its URL, which is returned only this once. */
export async function updateAutomation(id: string, body: AutomationPatch) {
  const changed = await box.automations.update({ params: { id }, body })
  cacheAutomation(changed.automation)
  await refresh()
  return changed
}

/** Replaces a webhook's URL; the previous URL stops working. */
export async function renewHook(id: string) {
  await box.automations.update({ params: { id }, body: { trigger: { kind: "manual" } } })
  return updateAutomation(id, { trigger: { kind: "hook" } })
}

/** Enables or disables automations. A failure doesn't stop the others; the last failure is thrown. */
export async function switchAutomations(ids: readonly string[], enabled: boolean): Promise<void> {
  let failure: unknown
  for (const id of ids)
    await box.automations
      .update({ params: { id }, body: { enabled } })
      .then(({ automation }) => cacheAutomation(automation))
      .catch((error: unknown) => (failure = error))
  await refresh()
  if (failure !== undefined) throw failure
}

export async function removeAutomation(id: string): Promise<void> {
  await box.automations.remove({ params: { id } })
  queryClient.setQueryData<Automation[]>(listKey, (all) => all?.filter((one) => one.id !== id))
  await refresh()
}

/** Runs an automation now, for a file if one is given. In a dry run, nothing is sent or changed. */
export async function runAutomation(
  id: string,
  query: { fileId?: string; dryRun?: boolean } = {},
): Promise<Run> {
  const { run } = await box.automations.run({ params: { id }, query })
  await refresh()
  return run
}

export async function cancelRun(runId: string): Promise<void> {
  await box.automations.cancel({ params: { runId } })
  await refresh()
}
