import type { Link, Nodes, PhrasingContent, Root } from "mdast"

/**
 * Remark plugin: bare addresses in table cells stay text. Table contents are often copied from documents, which could otherwise place a
 * link that no one intended. Explicit links stay.
 */
export function remarkPlainCells() {
  return (tree: Root): void => visit(tree, false)
}

function visit(node: Nodes, isInCell: boolean): void {
  if (!("children" in node)) return
  const isInsideCell = isInCell || node.type === "tableCell"
  for (const child of node.children) visit(child, isInsideCell)
  if (!isInsideCell) return
  // Cells contain only phrasing content.
  const phrases = node as { children: PhrasingContent[] }
  phrases.children = phrases.children.flatMap((child) =>
    child.type === "link" && isBare(child) ? child.children : [child],
  )
}

/** Whether a link was created from a bare address, adding at most its protocol. */
function isBare({ url, children: [only, ...more] }: Link): boolean {
  if (only?.type !== "text" || more.length > 0) return false
  return ["", "http://", "mailto:"].some((protocol) => url === protocol + only.value)
}
