import { useQuery } from "@tanstack/react-query"
import { parseServerModelId } from "../../../shared/contract/server-model-id.ts"
import { box } from "../../lib/box.ts"

/** A model that can be selected for an answer. */
export interface AnsweringModel {
  id: string
  name: string
  /** Name of its server; null for a local model. */
  server: string | null
  /** The host that receives requests to the model; null for a local model. */
  host: string | null
}

/** All chat models, the selected one first, also for members. Loaded only when wanted, and again by each screen. */
export function useAnsweringModels(wanted: boolean) {
  return useQuery({
    enabled: wanted,
    // Scripts may also add and remove servers.
    staleTime: 0,
    queryKey: ["models", "answering"],
    queryFn: async ({ signal }) => (await box.completions.models({}, { signal })).data,
    select: (models): AnsweringModel[] =>
      models.map(({ id, owned_by, host }) => ({
        id,
        name: parseServerModelId(id)?.name ?? id,
        server: owned_by === "local" ? null : owned_by,
        host: host ?? null,
      })),
  })
}
