import { useMemo } from "react"
import type { Conversation } from "../../../../shared/contract/conversations.ts"
import { useBranchMessages } from "../../../data/chats/conversations.ts"
import { branchPoints, type BranchPoint } from "./branch-points.ts"

/** Maximum number of branches that are read, newest first. */
const maxBranches = 20
const none: ReadonlyMap<string, BranchPoint> = new Map()

/** Returns the shown messages that have other versions. */
export function useBranchPoints(
  chatId: string,
  conversation: Conversation | null | undefined,
): ReadonlyMap<string, BranchPoint> {
  const branches = useMemo(
    () =>
      conversation && conversation.branches.length > 1 ? conversation.branches.slice(0, maxBranches) : [],
    [conversation],
  )
  const paths = useBranchMessages(chatId, branches)
  return useMemo(
    () => (conversation && branches.length > 1 ? branchPoints(conversation.messages, branches, paths) : none),
    [conversation, branches, paths],
  )
}
