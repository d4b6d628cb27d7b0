import { useMutation, useQuery } from "@tanstack/react-query"
import type { ApprovalAnswer, PendingApproval } from "../../../shared/contract/chat.ts"
import { box } from "../../lib/box.ts"
import { refreshActivity, conversationKey } from "./conversations.ts"
import { queryClient } from "../query-client.ts"

/** Nested under the chat's key, so that news about the chat also refreshes its waiting calls. */
const approvalsKey = (chatId: string) => [...conversationKey(chatId), "approvals", "waiting"] as const

const approvalsQuery = (chatId: string) => ({
  queryKey: approvalsKey(chatId),
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await box.chat.approvals({ params: { chatId } }, { signal })).approvals,
})

/** A chat's tool calls that await approval, oldest first. */
export function useApprovals(chatId: string, enabled: boolean) {
  return useQuery({ ...approvalsQuery(chatId), enabled })
}

/** Allows or denies a call. A call that was answered elsewhere or has expired causes an error and is removed from the list. */
export function useAnswerApproval(chatId: string) {
  return useMutation({
    mutationFn: ({ toolCallId, ...body }: ApprovalAnswer & { toolCallId: string }) =>
      box.chat.approve({ params: { chatId, toolCallId }, body }),
    onSuccess: (_, { toolCallId }) => {
      queryClient.setQueryData<PendingApproval[]>(approvalsKey(chatId), (waiting) =>
        waiting?.filter((approval) => approval.toolCallId !== toolCallId),
      )
      void refreshActivity()
    },
    onError: () =>
      Promise.all([queryClient.invalidateQueries({ queryKey: approvalsKey(chatId) }), refreshActivity()]),
  })
}
