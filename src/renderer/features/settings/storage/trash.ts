import { useMutation, useQuery } from "@tanstack/react-query"
import { queryClient } from "../../../data/query-client.ts"
import { box } from "../../../lib/box.ts"
import { storageKey } from "./storage.ts"

/** Files that the user deleted and can still restore. */
export function useTrash() {
  return useQuery({
    queryKey: [...storageKey, "trash"],
    queryFn: ({ signal }) => box.files.trash({}, { signal }),
    staleTime: 0,
  })
}

const refresh = () => queryClient.invalidateQueries({ queryKey: storageKey })

export const usePutBack = () =>
  useMutation({ mutationFn: (id: string) => box.files.putBack({ params: { id } }), onSettled: refresh })

export const useRemoveTrashed = () =>
  useMutation({ mutationFn: (id: string) => box.files.removeTrashed({ params: { id } }), onSettled: refresh })

/** Empties only the user's own trash. Owners empty everyone's in the storage overview. */
export const useEmptyOwnTrash = () =>
  useMutation({ mutationFn: () => box.files.emptyTrash(), onSettled: refresh })
