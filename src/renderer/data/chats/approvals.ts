import { useMutation, useQuery } from "@tanstack/react-query"
import type { ApprovalAnswer, PendingApproval } from "../../../shared/contract/chat.ts"
import { box } from "../../lib/box.ts"
import { refreshActivity } from "./activity.ts"
import { conversationKey } from "./conversations.ts"
import { queryClient } from "../query-client.ts"

/** Under the conversation's key: what is news of the conversation is news of what waits in it. */
const approvalsKey = (chatId: string) => [...conversationKey(chatId), "approvals", "waiting"] as const

const approvalsQuery = (chatId: string) => ({
  queryKey: approvalsKey(chatId),
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await box.chat.approvals({ params: { chatId } }, { signal })).approvals,
})

/** Tool calls of a chat that wait for an approval, oldest first. */
export function useApprovals(chatId: string, enabled: boolean) {
  return useQuery({ ...approvalsQuery(chatId), enabled })
}

/** Allows or denies a call. One that was answered elsewhere or has expired is an error, and isn't shown any more. */
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
