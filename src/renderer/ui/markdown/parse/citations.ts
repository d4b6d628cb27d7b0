import type { PhrasingContent, Root } from "mdast"

/** With the signs that end a sentence or what is in brackets: they may not begin the next line. */
const citation = /\[(\d{1,4})\]([.,;:!?…)»”’"']{0,4})/g

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
