import type { ChatMessage, Role } from "../../../../shared/contract/chat.ts"

/** A stored message as a node of its chat's tree. The first message has the parent null. */
export interface HistoryNode {
  id: string
  parentId: string | null
  role: Role
  content: string
}

/**
 * Returns the longest path of stored messages that a history starts with, compared by role and text, oldest first. Earlier branches are
 * included; among equal paths the current branch wins. White space around a text is ignored.
 */
export function findStoredPrefix<Node extends HistoryNode>(
  nodes: readonly Node[],
  headId: string | null,
  history: readonly ChatMessage[],
): Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const children = Map.groupBy(nodes, (node) => node.parentId)
  const currentIds = new Set(pathTo(headId, byId).map((node) => node.id))

  // Follows equal siblings in parallel: only one of them may continue like the history.
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

/** Normalises a message text for comparison. The database replaces lone surrogates. */
export const comparable = (text: string) => text.toWellFormed().trim()
