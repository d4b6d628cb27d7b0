import { useMutation, useQuery } from "@tanstack/react-query"
import type { ModelOptionsPatch } from "../../../shared/contract/model-options.ts"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

const optionsKey = (modelId: string) => ["models", "options", modelId] as const

/** A chat model's options, the memory its context window needs here, and its measured speed. Owners only. */
export function useModelOptions(modelId: string) {
  return useQuery({
    queryKey: optionsKey(modelId),
    // The speed, or even the computer's memory, may have changed since.
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
