import type { PhrasingContent, Root, Link, Nodes } from "mdast"

/** Includes the punctuation after the number, which must not begin the next line. */
const citation = /\[(\d{1,4})\]([.,;:!?…)»”’"']{0,4})/g

/** The element for a citation. Models can't create it, because their HTML is never parsed. */
export const citationElement = "casella-citation"

/**
 * Remark plugin: turns `[3]` in running text into a citation element. Code and links stay unchanged. The component that renders the element
 * decides which numbers are citations.
 */
export function remarkCitations() {
  return (tree: Root): void => markCitations(tree)
}

function markCitations(node: { children?: unknown[] }): void {
  if (!node.children) return
  node.children = node.children.flatMap((child) => {
    const typed = child as PhrasingContent
    if (typed.type === "text") return splitText(typed.value)
    if (typed.type !== "link" && typed.type !== "linkReference")
      markCitations(typed as { children?: unknown[] })
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

/**
 * Remark plugin: bare addresses in table cells stay text. Table contents are often copied from documents, which could otherwise place a
 * link that no one intended. Explicit links stay.
 */
export function remarkPlainCells() {
  return (tree: Root): void => unlinkBareAddresses(tree, false)
}

function unlinkBareAddresses(node: Nodes, isInCell: boolean): void {
  if (!("children" in node)) return
  const isInsideCell = isInCell || node.type === "tableCell"
  for (const child of node.children) unlinkBareAddresses(child, isInsideCell)
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
