import { useQuery } from "@tanstack/react-query"
import type { ReadingEstimateRequest } from "../../../shared/contract/chat.ts"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

const estimateKey = ["reading-estimate"] as const

/**
 * What reading all would take for a question about these; undefined until it is known, where it can't be read, and for no
 * question.
 */
export function useReadingEstimate(request: ReadingEstimateRequest | undefined) {
  const { data } = useQuery({
    queryKey: [...estimateKey, request],
    queryFn: ({ signal }) => box.chat.estimateReading({ body: request ?? {} }, { signal }),
    enabled: request !== undefined,
    placeholderData: (before) => before, // what is told doesn't go and come while a question is typed
    retry: false, // where it can't be read, what is asked is answered with why
    staleTime: 0,
    gcTime: 0,
  })
  return data
}

/** Asks again for what is shown: what there is to read is other, although the question is the same. */
export const refreshEstimates = (): Promise<void> => queryClient.invalidateQueries({ queryKey: estimateKey })
