import { t } from "i18next"
import type { Nodes, Root } from "mdast"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"
import type { Source } from "../../../../shared/contract/chat.ts"
import { formatLocation } from "../../../lib/words/format.ts"
import { citedSources } from "../../../ui/markdown/citations.ts"

/** An answer to be saved as a document. */
export interface SavedAnswer {
  /** A single line. */
  title: string
  /** Markdown. */
  text: string
  sources: readonly Source[]
}

/** Separates a text from its citation numbers and returns both. */
function splitCitations(
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

/** A table from an answer, with its citations separated from the cell text. */
export interface AnswerTable {
  /** The first row is the header. */
  rows: { cells: string[]; numbers: number[] }[]
  /** The sources that the numbers refer to; empty if the table cites nothing. */
  sources: Source[]
}

export function readTable(markdown: string, sources: readonly Source[]): AnswerTable {
  const known = new Set(sources.map(({ citation }) => citation))
  const table = readMarkdown(markdown).children.find(({ type }) => type === "table")
  const rows = table?.type === "table" ? table.children : []
  return {
    rows: rows.map((row) => {
      const cells = row.children.map((cell) =>
        splitCitations(extractText(cell), (number) => known.has(number)),
      )
      return {
        cells: cells.map(({ text }) => text),
        numbers: [...new Set(cells.flatMap(({ numbers }) => numbers))],
      }
    }),
    sources: citedSources(markdown, sources),
  }
}

/** Rows with an extra last column for their sources, if there are any. */
export function rowsWithSources({ rows, sources }: AnswerTable): string[][] {
  if (sources.length === 0) return rows.map(({ cells }) => cells)
  const origins = new Map(sources.map((source) => [source.citation, getOrigin(source)]))
  return rows.map(({ cells, numbers }, index) => [
    ...cells,
    index === 0
      ? t("saving:sources")
      : [...new Set(numbers.flatMap((each) => origins.get(each) ?? []))].join("; "),
  ])
}

/**
 * Returns an answer as a Markdown file that ends with the cited sources. Opening the file loads no images and runs no HTML from a document
 * or a model.
 */
export function savedMarkdown({ title, text, sources }: SavedAnswer): string {
  const cited = citedSources(text, sources)
  const list = cited.map((source) => `- [${source.citation}] ${escaped(getOrigin(source))}`).join("\n")
  const end = cited.length === 0 ? [] : [`## ${t("saving:sources")}`, list]
  return `${[`# ${escaped(title)}`, harmless(text).trim(), ...end].join("\n\n")}\n`
}

const escaped = (words: string): string =>
  words.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_<[\]]|&(?=[#\w]+;)/g, String.raw`\$&`)

/** Replacing an image by its name may form another image from the text around it, so the text is checked this many times. */
const maxPasses = 3

/** Replaces images by their names and HTML by text. */
function harmless(markdown: string, passes = maxPasses): string {
  const parts = foreignParts(markdown)
  if (parts.length === 0) return markdown
  // Only crafted text gets this far. Without these characters, it can't form HTML or an image.
  if (passes === 0) return markdown.replaceAll("<", "&lt;").replaceAll("![", "&#33;[")
  let text = ""
  let from = 0
  for (const { node, start, end } of parts) {
    text += markdown.slice(from, start) + escaped(extractText(node))
    from = end
  }
  return harmless(text + markdown.slice(from), passes - 1)
}
