import { useMutation, useQuery } from "@tanstack/react-query"
import type { ModelOptionsPatch } from "../../../shared/contract/model-options.ts"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

const optionsKey = (modelId: string) => ["models", "options", modelId] as const

/** How a chat model answers, what its context costs here, and how fast it was. Owners only. */
export function useModelOptions(modelId: string) {
  return useQuery({
    queryKey: optionsKey(modelId),
    // What it was a while ago may be another speed, or another computer's memory.
    staleTime: 0,
    queryFn: ({ signal }) => box.modelOptions.read({ params: { modelId } }, { signal }),
  })
}

export function useChangeModelOptions(modelId: string) {
  return useMutation({
    mutationFn: (body: ModelOptionsPatch) => box.modelOptions.update({ params: { modelId }, body }),
    onSuccess: (known) => queryClient.setQueryData(optionsKey(modelId), known),
  })
}
