import { useMemo } from "react"
import type { Branch, StoredMessage, Conversation } from "../../../../shared/contract/conversations.ts"
import { useBranchMessages } from "../../../data/chats/conversations.ts"

/** One of several messages at the same position in different branches. */
interface Variant {
  messageId: string
  /** The branch that shows it; undefined for the current one. */
  branch: string | undefined
}

/** Variants of a message, oldest first, and which of them is shown. */
export interface BranchPoint {
  variants: Variant[]
  shown: number
}

/**
 * Returns the shown messages that have siblings in other branches, by message id. If several branches contain a sibling, the current branch
 * is used, otherwise the newest.
 */
export function branchPoints(
  shown: readonly StoredMessage[],
  branches: readonly Branch[],
  paths: readonly (readonly StoredMessage[] | undefined)[],
): ReadonlyMap<string, BranchPoint> {
  const siblings = new Map<number, Map<string, { message: StoredMessage; branch: string | undefined }>>()
  for (const [index, branch] of branches.entries()) {
    const path = paths[index] ?? []
    const at = shown.findIndex((message, depth) => path[depth]?.id !== message.id)
    const message = path[at]
    if (at < 0 || !message) continue
    const found = siblings.get(at) ?? new Map()
    if (branch.current || !found.has(message.id))
      found.set(message.id, { message, branch: branch.current ? undefined : branch.id })
    siblings.set(at, found)
  }
  const points = new Map<string, BranchPoint>()
  for (const [depth, found] of siblings) {
    const own = shown[depth]
    if (!own) continue
    const all = [...found.values(), { message: own, branch: undefined }].toSorted((a, b) =>
      a.message.createdAt === b.message.createdAt
        ? a.message.id.localeCompare(b.message.id)
        : a.message.createdAt.localeCompare(b.message.createdAt),
    )
    points.set(own.id, {
      variants: all.map(({ message, branch }) => ({ messageId: message.id, branch })),
      shown: all.findIndex(({ message }) => message === own),
    })
  }
  return points
}

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
