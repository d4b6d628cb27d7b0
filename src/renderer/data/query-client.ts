import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { hasCode } from "../lib/box.ts"

export const sessionKey = ["session"] as const

function onError(error: unknown): void {
  if (hasCode(error, "unauthorized")) queryClient.setQueryData(sessionKey, null)
}

/** The page's cache of the box's data. Live events keep it current, so nothing is reloaded without a reason. */
export const queryClient = new QueryClient({
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
