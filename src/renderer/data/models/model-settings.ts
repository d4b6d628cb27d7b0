import { useMutation, useQuery } from "@tanstack/react-query"
import type { ServerDraft, ServerPatch } from "../../../shared/contract/model-servers.ts"
import type { ModelOptionsPatch } from "../../../shared/contract/models.ts"
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

// Nested under the key for models, because a change to a server changes the available models.
const modelsKey = ["models"] as const
const serversKey = [...modelsKey, "servers"] as const

const refresh = () => queryClient.invalidateQueries({ queryKey: modelsKey })

/** Model servers that were added. Owners only. */
export function useModelServers() {
  return useQuery({
    queryKey: serversKey,
    queryFn: async ({ signal }) => (await box.modelServers.list({}, { signal })).servers,
  })
}

export function useAddServer() {
  return useMutation({
    mutationFn: (body: ServerDraft) => box.modelServers.add({ body }),
    onSuccess: refresh,
  })
}

export function useChangeServer(serverId: string) {
  return useMutation({
    mutationFn: (body: ServerPatch) => box.modelServers.update({ params: { serverId }, body }),
    onSuccess: refresh,
  })
}

/** Reloads a server's list of models. */
export function useRefreshServer(serverId: string) {
  return useMutation({
    mutationFn: () => box.modelServers.refresh({ params: { serverId } }),
    onSuccess: refresh,
  })
}

export function useRemoveServer(serverId: string) {
  return useMutation({
    mutationFn: () => box.modelServers.remove({ params: { serverId } }),
    onSuccess: refresh,
  })
}
