import type { Block } from "../../../parsers/parser.ts"

/** A web page's readable text in the form in which it is stored. */
export interface PageDocument {
  title: string
  html: string
}

const maxTitleLength = 120

/**
 * A document with only a page's title, address and text. It has no scripts, images or menus, and stays the same between fetches while the
 * text does. Null if the page has no text.
 */
export function pageDocument(url: string, blocks: readonly Block[]): PageDocument | null {
  if (blocks.length === 0) return null
  const [first, ...rest] = blocks
  const titled = first?.kind === "heading"
  const title = (titled ? first.text : nameOfAddress(url))
    .replace(/\s+/g, " ")
    .slice(0, maxTitleLength)
    .trim()
  const body = [heading(1, title), paragraph(url), ...getElements(titled ? rest : blocks)]
  return { title, html: `<!doctype html>\n<meta charset="utf-8">\n${body.join("\n")}\n` }
}

/** Name for a page without a title: its host and the end of its path. */
export function nameOfAddress(url: string): string {
  const { host, pathname } = new URL(url)
  const last = pathname.split("/").findLast((part) => part !== "")
  return last === undefined ? host : `${host} ${decoded(last)}`
}

export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function* getElements(blocks: readonly Block[]): Generator<string> {
  let isInTable = false
  for (const { kind, text, location } of blocks) {
    const isRow = kind === "table-header" || kind === "table-row"
    if (isRow !== isInTable) yield isRow ? "<table>" : "</table>"
    isInTable = isRow
    if (isRow) yield row(text, kind === "table-header" ? "th" : "td")
    else if (kind === "heading") yield heading(getLevel(location.heading), text)
    else if (kind === "code") yield `<pre>\n${escaped(text)}</pre>`
    else yield paragraph(text)
  }
  if (isInTable) yield "</table>"
}

/** The heading level is the depth of the heading path. */
const getLevel = (path = "") => Math.min(path.split(" › ").length, 6)

const heading = (level: number, text: string) => `<h${level}>${escaped(text)}</h${level}>`
const paragraph = (text: string) => `<p>${escaped(text).replaceAll("\n", "<br>")}</p>`
const row = (text: string, cell: "th" | "td") =>
  `<tr>${text
    .split(" | ")
    .map((value) => `<${cell}>${escaped(value)}</${cell}>`)
    .join("")}</tr>`

const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
