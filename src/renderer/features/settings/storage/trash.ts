import { useMutation, useQuery } from "@tanstack/react-query"
import { queryClient } from "../../../data/query-client.ts"
import { box } from "../../../lib/box.ts"
import { storageKey } from "./storage.ts"

/** Files that the person deleted, as long as they can be put back. */
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

/** Only one's own; owners empty everyone's where they see what uses the disk. */
export const useEmptyOwnTrash = () =>
  useMutation({ mutationFn: () => box.files.emptyTrash(), onSettled: refresh })
