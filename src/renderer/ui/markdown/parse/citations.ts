import type { PhrasingContent, Root } from "mdast"

/** Includes the punctuation after the number, which must not begin the next line. */
const citation = /\[(\d{1,4})\]([.,;:!?…)»”’"']{0,4})/g

/** The element for a citation. Models can't create it, because their HTML is never parsed. */
export const citationElement = "casella-citation"

/**
 * Remark plugin: turns `[3]` in running text into a citation element. Code and links stay unchanged. The component that renders the element
 * decides which numbers are citations.
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

const citationNode = (number: string) => ({
  type: "citation",
  data: {
    hName: citationElement,
    hProperties: { number: Number(number) },
    hChildren: [{ type: "text", value: `[${number}]` }],
  },
})

const unbroken = (children: unknown[]) => ({
  type: "unbroken",
  data: { hName: "span", hProperties: { className: ["whitespace-nowrap"] } },
  children,
})

function splitText(value: string): unknown[] {
  const nodes: unknown[] = []
  let end = 0
  for (const match of value.matchAll(citation)) {
    if (match.index > end) nodes.push({ type: "text", value: value.slice(end, match.index) })
    const [, number = "", signs = ""] = match
    const node = citationNode(number)
    nodes.push(signs === "" ? node : unbroken([node, { type: "text", value: signs }]))
    end = match.index + match[0].length
  }
  if (end < value.length) nodes.push({ type: "text", value: value.slice(end) })
  return nodes
}
