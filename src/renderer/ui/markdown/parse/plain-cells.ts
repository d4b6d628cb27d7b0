import type { Link, Nodes, PhrasingContent, Root } from "mdast"

/**
 * Remark plugin: addresses that stand bare in the cells of a table stay words. What is in a table was often copied from a
 * document, which would otherwise put a link before the reader that nobody meant; links that are written as links remain.
 */
export function remarkPlainCells() {
  return (tree: Root): void => visit(tree, false)
}

function visit(node: Nodes, isInCell: boolean): void {
  if (!("children" in node)) return
  const inCell = isInCell || node.type === "tableCell"
  for (const child of node.children) visit(child, inCell)
  if (!inCell) return
  // Cells hold nothing but phrases.
  const phrases = node as { children: PhrasingContent[] }
  phrases.children = phrases.children.flatMap((child) =>
    child.type === "link" && isBare(child) ? child.children : [child],
  )
}

/** Made of an address that stands there as it is, which gets no more than its protocol. */
function isBare({ url, children: [only, ...more] }: Link): boolean {
  if (only?.type !== "text" || more.length > 0) return false
  return ["", "http://", "mailto:"].some((protocol) => url === protocol + only.value)
}
