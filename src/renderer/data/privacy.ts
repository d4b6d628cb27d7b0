import { useMutation, useQueries, useQuery } from "@tanstack/react-query"
import { privacy, type EgressPurpose } from "../../shared/contract/privacy.ts"
import { box } from "../lib/box.ts"
import { queryClient } from "./query-client.ts"

const egressKey = ["egress"] as const

export const egressPageSize = 100
const followMs = 3_000

export interface EgressFilter {
  host: string
  purpose: EgressPurpose | undefined
}

const getQuery = ({ host, purpose }: EgressFilter) => ({
  ...(host === "" ? {} : { host }),
  ...(purpose === undefined ? {} : { purpose }),
})

/** The pages of the connection list that contain the rows on screen, updated as the list grows. */
export function useEgressPages(filter: EgressFilter, pages: number[]) {
  return useQueries({
    queries: pages.map((page) => ({
      queryKey: [...egressKey, filter, page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        box.privacy.list(
          { query: { ...getQuery(filter), limit: egressPageSize, offset: page * egressPageSize } },
          { signal },
        ),
      staleTime: 0,
      refetchInterval: followMs,
    })),
  })
}

/** How the box's child processes are sandboxed. Owners only. */
export const useChildSandboxes = () =>
  useQuery({ queryKey: ["child-walls"], queryFn: ({ signal }) => box.privacy.walls({ signal }) })

export const useClearEgress = () =>
  useMutation({
    mutationFn: () => box.privacy.clear(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: egressKey }),
  })

/** The address from which the browser downloads the filtered list. */
export function egressCsvPath(filter: EgressFilter): string {
  const query = new URLSearchParams(getQuery(filter)).toString()
  return query === "" ? privacy.csv.path : `${privacy.csv.path}?${query}`
}
