import { useQuery } from "@tanstack/react-query"
import type { ModelState } from "../../shared/contract/models.ts"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import { box } from "../lib/box.ts"
import { queryClient } from "./query-client.ts"

interface Models {
  chat: ModelState | null
  embedding: ModelState | null
}

const modelsKey = ["models"] as const

/** The configured models and what they are doing. */
export function useModels() {
  return useQuery({ queryKey: modelsKey, queryFn: ({ signal }) => box.models.state({}, { signal }) })
}

export function applyModelMessage({ role, model }: Extract<SocketMessage, { type: "model" }>): void {
  queryClient.setQueryData<Models>(modelsKey, (models) => models && { ...models, [role]: model })
}
