import { useQuery } from "@tanstack/react-query"
import type { ReadingEstimateRequest } from "../../../shared/contract/chat.ts"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

const estimateKey = ["reading-estimate"] as const

/**
 * Estimates what it would take to read everything for a question about this selection. Undefined while loading, on failure, and without a
 * request.
 */
export function useReadingEstimate(request: ReadingEstimateRequest | undefined) {
  const { data } = useQuery({
    queryKey: [...estimateKey, request],
    queryFn: ({ signal }) => box.chat.estimateReading({ body: request ?? {} }, { signal }),
    enabled: request !== undefined,
    placeholderData: (before) => before, // keeps the estimate from flickering while a question is typed
    retry: false, // if reading isn't possible, the answer explains why
    staleTime: 0,
    gcTime: 0,
  })
  return data
}

/** Reloads the estimates on screen, because the content to read has changed. */
export const refreshEstimates = (): Promise<void> => queryClient.invalidateQueries({ queryKey: estimateKey })
