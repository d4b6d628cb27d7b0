import { useMutation, useQuery } from "@tanstack/react-query"
import { queryClient } from "../../../data/query-client.ts"
import { box } from "../../../lib/box.ts"
import { storageKey } from "./storage.ts"

/** Files that the person deleted, as long as they can be put back. */
export function useTrash() {
  return useQuery({
    queryKey: [...storageKey, "trash"],
    queryFn: async ({ signal }) => (await box.files.trash({}, { signal })).files,
    staleTime: 0,
  })
}

export const usePutBack = () =>
  useMutation({
    mutationFn: (id: string) => box.files.putBack({ params: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: storageKey }),
  })
