import { createHash } from "node:crypto"
import { extname } from "node:path"
import { extension as extensionOfType } from "mime-types"
import { AppError } from "../../../../shared/contract/errors.ts"
import { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { SafeFetch } from "../../../core/safe-fetch/safe-fetch.ts"
import { createSemaphore } from "../../../core/waiting/locks.ts"
import { type Block, ParseFailure } from "../../../parsers/parser.ts"
import { type DocumentReader, readBytes } from "../../../parsers/process/document-reader.ts"

/** A web page's readable text in the form in which it is stored. */
interface PageDocument {
  title: string
  html: string
}

const maxTitleLength = 120

/**
 * A document with only a page's title, address and text. It has no scripts, images or menus, and stays the same between fetches while the
 * text does. Null if the page has no text.
 */
function pageDocument(url: string, blocks: readonly Block[]): PageDocument | null {
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
function nameOfAddress(url: string): string {
  const { host, pathname } = new URL(url)
  const last = pathname.split("/").findLast((part) => part !== "")
  return last === undefined ? host : `${host} ${decoded(last)}`
}

function decoded(part: string): string {
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

/** Stored content of a web page. */
export interface FetchedPage {
  fileName: string
  bytes: Buffer
  /** Hash of the bytes. It stays the same while the page's content does. */
  hash: string
}

/**
 * Fetches a page for a user. Throws the same errors as `SafeFetch`, and `unprocessable` for a response that isn't a page or has no text.
 */
export type FetchPage = (userId: string, url: string, signal: AbortSignal) => Promise<FetchedPage>

const maxBytes = 25_000_000
const limitMs = 30_000
const pageMediaTypes = new Set(["", "text/html", "application/xhtml+xml"])
/** Generic media types that don't identify the content. The URL says more. */
const genericMediaTypes = new Set(["text/plain", "application/octet-stream", "binary/octet-stream"])

export function createFetchPage({
  safe,
  reader,
}: {
  safe: Pick<SafeFetch, "fetch">
  reader: Pick<DocumentReader, "read">
}): FetchPage {
  /** Limits concurrent fetches: each may hold `maxBytes` in memory. */
  const semaphore = createSemaphore({ slots: () => 2, slotsEach: 1, maxWaiting: 40, maxWaitingEach: 10 })

  async function fetchNow(address: string, signal: AbortSignal): Promise<FetchedPage> {
    const { status, mediaType, bytes, url } = await safe.fetch({
      purpose: "web-page",
      url: address,
      signal,
      accepts: (type) => !/^(?:audio|video|font)\//.test(type),
      maxBytes,
      limitMs,
    })
    if (status < 200 || status > 299)
      throw new AppError("unprocessable", sentence("tools.no_page", { status }))
    if (!pageMediaTypes.has(mediaType)) return toFetchedPage(getName(url, mediaType), bytes)
    const document = pageDocument(address, await readBlocks(reader, bytes, signal))
    if (!document) throw new AppError("unprocessable", sentence("tools.page_without_text"))
    return toFetchedPage(`${document.title}.html`, Buffer.from(document.html))
  }

  return (userId, url, signal) => semaphore.run(signal, userId, () => fetchNow(url, signal))
}

async function readBlocks(
  reader: Pick<DocumentReader, "read">,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<Block[]> {
  const blocks: Block[] = []
  try {
    for await (const block of readBytes(reader, { bytes, name: "page.html", article: true }, signal))
      blocks.push(block)
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error
    throw new AppError("unprocessable", Sentence.asIs(error.message), { cause: error })
  }
  return blocks
}

const toFetchedPage = (fileName: string, bytes: Buffer): FetchedPage => ({
  fileName,
  bytes,
  hash: createHash("sha256").update(bytes).digest("hex"),
})

/** File name of a document that isn't HTML. The URL gives the name and the server gives the type, unless that type is generic. */
function getName(url: string, mediaType: string): string {
  const last = decoded(new URL(url).pathname.split("/").at(-1) ?? "")
  const named = extname(last) !== "" && (genericMediaTypes.has(mediaType) || fits(last, mediaType))
  if (named) return last
  const extension = mediaType === "text/plain" ? "txt" : extensionOfType(mediaType)
  return `${last === "" ? nameOfAddress(url) : last}${extension ? `.${extension}` : ""}`
}

const fits = (name: string, mediaType: string) => {
  const extension = extensionOfType(mediaType)
  return extension !== false && extname(name).toLowerCase() === `.${extension}`
}
