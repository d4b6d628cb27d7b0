import {
  MutationCache,
  QueryCache,
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type QueryKey,
} from "@tanstack/react-query"
import { hasCode } from "../lib/box.ts"

export const sessionKey = ["session"] as const

function onError(error: unknown): void {
  if (hasCode(error, "unauthorized")) queryClient.setQueryData(sessionKey, null)
}

/**
 * Invalidates data also while it is loaded for the first time. The library would wait for that load, although its response may be older than
 * the change, and would then treat it as current: for example, an answer that ends while its chat is loading would stay empty.
 */
class LiveQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const firstLoads = new Set(
      this.getQueryCache()
        .findAll(filters)
        .filter(({ state }) => state.fetchStatus !== "idle" && state.data === undefined),
    )
    await super.invalidateQueries(filters, options)
    if (firstLoads.size === 0) return
    await Promise.allSettled([...firstLoads].flatMap(({ promise }) => promise ?? []))
    await super.invalidateQueries({ ...filters, predicate: (query) => firstLoads.has(query) }, options)
  }
}

/** The page's cache of the box's data. Live events keep it current, so nothing is reloaded without a reason. */
export const queryClient = new LiveQueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      networkMode: "always",
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => hasCode(error, "unavailable") && failures < 3,
    },
    mutations: { networkMode: "always" },
  },
})

/** Changes cached data of queries. Queries marked as stale stay stale. */
export function editQueries<T>(queryKey: readonly unknown[], changed: (data: T) => T): void {
  for (const { queryKey: key, state } of queryClient.getQueryCache().findAll({ queryKey }))
    queryClient.setQueryData<T>(key, (data) => data && changed(data), {
      updatedAt: state.isInvalidated ? 0 : state.dataUpdatedAt,
    })
}
