import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query"
import { box } from "../lib/box.ts"
import { queryClient } from "./query-client.ts"

const memoryKey = ["memory"] as const
const pageSize = 50
const refresh = () => queryClient.invalidateQueries({ queryKey: memoryKey })

/** Memories about the signed-in user, most recently changed first, one page at a time. */
export function useMemories(search: string) {
  return useInfiniteQuery({
    queryKey: [...memoryKey, search],
    queryFn: ({ pageParam, signal }) =>
      box.memory.list(
        { query: { limit: pageSize, offset: pageParam, ...(search === "" ? {} : { search }) } },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ pagination }) =>
      pagination.hasMore ? pagination.offset + pagination.limit : undefined,
    placeholderData: keepPreviousData,
    staleTime: 0, // models also add memories
  })
}

export function useRemember() {
  return useMutation({
    mutationFn: (text: string) => box.memory.remember({ body: { text } }),
    onSuccess: refresh,
  })
}

export function useChangeMemory(id: string) {
  return useMutation({
    mutationFn: (text: string) => box.memory.update({ params: { id }, body: { text } }),
    onSuccess: refresh,
  })
}

export function useForget() {
  return useMutation({
    mutationFn: (id: string) => box.memory.forget({ params: { id } }),
    onSettled: refresh,
  })
}

export function useForgetAll() {
  return useMutation({ mutationFn: () => box.memory.forgetAll(), onSettled: refresh })
}
