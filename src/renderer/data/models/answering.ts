import { useQuery } from "@tanstack/react-query"
import { parseServerModelId } from "../../../shared/contract/server-model-id.ts"
import { box } from "../../lib/box.ts"

/** A model that may be named for an answer. */
export interface AnsweringModel {
  id: string
  name: string
  /** Name of its server; null for a model on this computer. */
  server: string | null
  /** Where what it is asked is sent; null for a model on this computer. */
  host: string | null
}

/** Every chat model, the chosen one first; members may know of them, too. Asked for once they are wanted, and anew by each screen. */
export function useAnsweringModels(wanted: boolean) {
  return useQuery({
    enabled: wanted,
    // Servers come and go by scripts, too.
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
