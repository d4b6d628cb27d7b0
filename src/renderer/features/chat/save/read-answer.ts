import type { Nodes, Root } from "mdast"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"
import type { Source } from "../../../../shared/contract/chat.ts"
import { formatLocation } from "../../../lib/words/format.ts"

/** An answer to be saved as a document. */
export interface SavedAnswer {
  /** A single line. */
  title: string
  /** Markdown. */
  text: string
  sources: readonly Source[]
}

/** Separates a text from its citation numbers and returns both. */
export function splitCitations(
  text: string,
  isSource: (number: number) => boolean,
): { text: string; numbers: number[] } {
  const numbers: number[] = []
  const bare = text.replaceAll(/[ \t]?\[(\d{1,4})\]/g, (found, number: string) => {
    if (!isSource(Number(number))) return found
    numbers.push(Number(number))
    return ""
  })
  return { text: bare.trim(), numbers: [...new Set(numbers)] }
}

/** The document and location of a source, in words. */
export function getOrigin({ fileName, location }: Source): string {
  const locationLabel = formatLocation(location)
  return locationLabel === "" ? fileName : `${fileName}, ${locationLabel}`
}

const reader = unified().use(remarkParse).use(remarkGfm)

export const readMarkdown = (text: string): Root => reader.parse(text)

const isPicture = (node: Nodes) => node.type === "image" || node.type === "imageReference"

/** The text of a Markdown node, without formatting. */
export function extractText(node: Nodes): string {
  if (node.type === "break") return "\n"
  if (node.type === "html") return /^<br\s*\/?>$/i.test(node.value) ? "\n" : node.value
  if (isPicture(node)) return node.alt ?? ""
  if ("value" in node) return node.value
  return "children" in node ? node.children.map(extractText).join("") : ""
}

/** Returns the images and HTML in a text, except line breaks, in order and with their positions. */
export function foreignParts(markdown: string): { node: Nodes; start: number; end: number }[] {
  const getParts = (node: Nodes): ReturnType<typeof foreignParts> => {
    const isForeign = isPicture(node) || (node.type === "html" && extractText(node) === node.value)
    const [start, end] = [node.position?.start.offset, node.position?.end.offset]
    if (isForeign && start !== undefined && end !== undefined) return [{ node, start, end }]
    return "children" in node ? node.children.flatMap(getParts) : []
  }
  return getParts(readMarkdown(markdown))
}
