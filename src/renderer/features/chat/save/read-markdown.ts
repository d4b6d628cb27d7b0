import type { Nodes, Root } from "mdast"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"

const reader = unified().use(remarkParse).use(remarkGfm)

export const readMarkdown = (text: string): Root => reader.parse(text)

/** The words of a piece of Markdown, without how they look. */
export function wordsOf(node: Nodes): string {
  if (node.type === "break") return "\n"
  if (node.type === "html") return /^<br\s*\/?>$/i.test(node.value) ? "\n" : node.value
  if (node.type === "image") return node.alt ?? ""
  if ("value" in node) return node.value
  return "children" in node ? node.children.map(wordsOf).join("") : ""
}
