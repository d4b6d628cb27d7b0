import { useMutation, useQuery } from "@tanstack/react-query"
import type { ChatImport } from "../../../shared/contract/chat-imports.ts"
import { refreshConversationList } from "../../data/chats/conversations.ts"
import { queryClient } from "../../data/query-client.ts"
import { box } from "../../lib/box.ts"
import { sendExport } from "./sending-export.ts"

const importKey = ["chat-import"] as const
const progressMs = 400

export const isUnderWay = ({ status }: ChatImport): boolean =>
  status === "queued" || status === "checking" || status === "running"

/** The newest import, polled while it runs; null if there is none. */
export function useNewestImport() {
  return useQuery({
    queryKey: importKey,
    queryFn: async ({ signal }) => {
      const { import: newest } = await box.chatImports.newest({}, { signal })
      if (newest?.status === "completed" || newest?.status === "stopped") void refreshConversationList()
      return newest
    },
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? progressMs : false),
  })
}

/** Cancel a read in progress, because its result would be older. */
async function cacheImport(one: ChatImport): Promise<void> {
  await queryClient.cancelQueries({ queryKey: importKey })
  queryClient.setQueryData(importKey, one)
}

/** Uploads an export for inspection. */
export const uploadExport = (file: File): Promise<void> => sendExport(file, cacheImport)

const useStep = (step: (id: string) => Promise<{ import: ChatImport }>) =>
  useMutation({
    mutationFn: async (id: string) => (await step(id)).import,
    onSuccess: cacheImport,
    onError: () => void queryClient.invalidateQueries({ queryKey: importKey }),
  })

export const useConfirmImport = () => useStep((id) => box.chatImports.confirm({ params: { id } }))
export const useStopImport = () => useStep((id) => box.chatImports.stop({ params: { id } }))
