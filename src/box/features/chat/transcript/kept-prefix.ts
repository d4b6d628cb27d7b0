import type { ChatMessage, Role } from "../../../../shared/contract/chat.ts"

/** A stored message as a node of its conversation's tree; null is the parent of the first one. */
export interface HistoryNode {
  id: string
  parentId: string | null
  role: Role
  content: string
}

/**
 * The longest course of stored messages that a history begins with, by role and text, oldest first. Earlier branches
 * count too; of equal courses the current branch wins. White space around a text makes no difference.
 */
export function keptPrefix<Node extends HistoryNode>(
  nodes: readonly Node[],
  headId: string | null,
  history: readonly ChatMessage[],
): Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const children = Map.groupBy(nodes, (node) => node.parentId)
  const currentIds = new Set(pathTo(headId, byId).map((node) => node.id))

  // Equal siblings are followed side by side: only one of them may go on as the history does.
  let ends: Node[] = []
  let parentIds: (string | null)[] = [null]
  for (const message of history) {
    const next = parentIds.flatMap((id) => children.get(id) ?? []).filter((node) => isSame(node, message))
    if (next.length === 0) break
    ends = next
    parentIds = next.map((node) => node.id)
  }
  const end = ends.find((node) => currentIds.has(node.id)) ?? ends.at(-1)
  return pathTo(end?.id ?? null, byId)
}

function pathTo<Node extends HistoryNode>(id: string | null, byId: ReadonlyMap<string, Node>): Node[] {
  const path: Node[] = []
  for (let node = id === null ? undefined : byId.get(id); node;) {
    path.push(node)
    node = node.parentId === null ? undefined : byId.get(node.parentId)
  }
  return path.reverse()
}

function isSame(node: HistoryNode, message: ChatMessage): boolean {
  return node.role === message.role && comparable(node.content) === comparable(message.content)
}

/** A text as texts of messages are compared. The database replaces halves of surrogate pairs. */
export const comparable = (text: string) => text.toWellFormed().trim()
