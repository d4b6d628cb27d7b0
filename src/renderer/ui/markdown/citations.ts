import type { PhrasingContent, Root } from "mdast"

const citation = /\[(\d{1,3})\]/g

/** Element that a citation becomes. Nothing a model writes can make one, because its HTML is never parsed. */
export const citationElement = "casella-citation"

/**
 * Remark plugin: turns `[3]` in running text into a citation element. Code and links are left alone; which numbers
 * are citations is decided where they are shown.
 */
export function remarkCitations() {
  return (tree: Root): void => visit(tree)
}

function visit(node: { children?: unknown[] }): void {
  if (!node.children) return
  node.children = node.children.flatMap((child) => {
    const typed = child as PhrasingContent
    if (typed.type === "text") return splitText(typed.value)
    if (typed.type !== "link" && typed.type !== "linkReference") visit(typed as { children?: unknown[] })
    return [typed]
  })
}

function splitText(value: string): unknown[] {
  const nodes: unknown[] = []
  let end = 0
  for (const match of value.matchAll(citation)) {
    if (match.index > end) nodes.push({ type: "text", value: value.slice(end, match.index) })
    nodes.push({
      type: "citation",
      data: {
        hName: citationElement,
        hProperties: { number: Number(match[1]) },
        hChildren: [{ type: "text", value: match[0] }],
      },
    })
    end = match.index + match[0].length
  }
  if (end < value.length) nodes.push({ type: "text", value: value.slice(end) })
  return nodes
}
