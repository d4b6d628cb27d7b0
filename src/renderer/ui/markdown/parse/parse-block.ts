import type { Element, Root, RootContent, Text } from "hast"
import type { Root as MarkdownRoot } from "mdast"
import rehypeHighlight from "rehype-highlight"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import remarkRehype from "remark-rehype"
import { unified, type Processor } from "unified"
import { maxDepth, maxWordLength, maxNodes } from "./bounds.ts"
import { remarkCitations, remarkPlainCells } from "./remark-plugins.ts"

/** A piece of Markdown to read. */
export interface Block {
  text: string
  /** Whether code is coloured. Off while a long block grows, because it would be coloured again for every token. */
  coloured: boolean
}

/** The parsed piece as plain data, which is checked again where it is rendered. */
export interface BlockTree {
  root: Root
  /** Number of elements and texts in it. */
  nodes: number
}

/** Why a piece has no tree. */
export type Unread = "too-much"

type Reader = Processor<MarkdownRoot, MarkdownRoot, Root>

/** Created once, because each use of a plugin sets it up again, and this one would register dozens of languages every time. */
const highlight = rehypeHighlight()

/** HTML is kept as raw text, which `bounded` converts to text nodes. It is never parsed. */
const read = () => unified().use(remarkParse).use(remarkGfm).use(remarkPlainCells).use(remarkCitations)
const plainReader = read().use(remarkRehype, { allowDangerousHtml: true }).freeze()
const colouringReader = read()
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(() => highlight)
  .freeze()

/** Parses a piece without formulas. */
export function parseBlock({ text, coloured }: Block): BlockTree | Unread {
  return parseWith(coloured ? colouringReader : plainReader, text)
}

/** Parses a piece. If the parser fails, as on endless nesting, the piece is too much. */
export function parseWith(reader: Reader, text: string): BlockTree | Unread {
  try {
    return bounded(reader.runSync(reader.parse(text)))
  } catch {
    return "too-much"
  }
}

/** Returns the tree as small plain data, with HTML as text and limited depth; "too-much" if it is too large. */
function bounded(root: Root): BlockTree | Unread {
  let nodes = 0
  const open: { parent: Root | Element; depth: number }[] = [{ parent: root, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { parent, depth } = next
    nodes += parent.children.length
    if (nodes > maxNodes) return "too-much"
    const children = parent.children.flatMap((child) => toShownNodes(child))
    parent.children = depth < maxDepth ? children : [{ type: "text", value: getText(children) }]
    delete parent.position
    for (const child of parent.children)
      if (child.type === "element") open.push({ parent: child, depth: depth + 1 })
  }
  return { root, nodes }
}

function toShownNodes(node: RootContent): (Element | Text)[] {
  if (node.type === "element") return [node]
  if (node.type === "text" || node.type === "raw") return splitLongWords(node.value)
  return []
}

const longWords = new RegExp(String.raw`(\S{${maxWordLength + 1},})`, "u")
const pieceOfWord = new RegExp(`.{1,${maxWordLength}}`, "gsu")

/** Returns a text; a word too long to be laid out as a whole is split into several elements. */
function splitLongWords(text: string): (Element | Text)[] {
  return text.split(longWords).flatMap((part, index): (Element | Text)[] =>
    index % 2 === 0
      ? [{ type: "text", value: part }]
      : Array.from(part.matchAll(pieceOfWord), ([value]) => ({
          type: "element",
          tagName: "span",
          properties: { className: ["piece"] },
          children: [{ type: "text", value }],
        })),
  )
}

function getText(nodes: (Element | Text)[]): string {
  const texts: string[] = []
  const open = nodes.toReversed()
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.type === "text") texts.push(next.value)
    else open.push(...next.children.flatMap(toShownNodes).toReversed())
  }
  return texts.join("")
}

/** A sample of the elements that answers use most. */
const sample =
  "## A\n\n**b** *c* `d` [e](https://example.com)\n\n- f\n\n| g |\n| - |\n| h |\n\n```ts\nconst i = 1\n```\n"

/** Parses a sample, so that the first answer doesn't wait for the parser to be compiled. */
export const warmUp = (): void => void parseBlock({ text: sample, coloured: true })
