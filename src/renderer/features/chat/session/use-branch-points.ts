import { useMemo } from "react"
import type { Conversation } from "../../../../shared/contract/conversations.ts"
import { useBranchMessages } from "../../../data/chats/conversations.ts"
import { branchPoints, type BranchPoint } from "./branch-points.ts"

/** Branches that are looked at: the newest ones. */
const mostBranches = 20
const none: ReadonlyMap<string, BranchPoint> = new Map()

/** Where the shown messages have been asked or answered differently. */
export function useBranchPoints(
  chatId: string,
  conversation: Conversation | null | undefined,
): ReadonlyMap<string, BranchPoint> {
  const branches = useMemo(
    () =>
      conversation && conversation.branches.length > 1 ? conversation.branches.slice(0, mostBranches) : [],
    [conversation],
  )
  const paths = useBranchMessages(chatId, branches)
  return useMemo(
    () => (conversation && branches.length > 1 ? branchPoints(conversation.messages, branches, paths) : none),
    [conversation, branches, paths],
  )
}
