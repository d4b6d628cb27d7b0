import { posix } from "node:path"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { parseDocumentDate } from "../document/document-properties.ts"
import type { Location } from "../../../shared/contract/location.ts"
import { failure, maxPictureBytes, type Block, type ParseContext, type Parser } from "../parser.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { createDecoder } from "../text/text-encoding.ts"
import { unicodeEncoding } from "../text/unicode-encoding.ts"
import { xmlSteps, type XmlHandler } from "../xml/xml-events.ts"
import { loadPicture, ZipArchive } from "../zip/zip-archive.ts"
import { htmlBlocks } from "./html.ts"

const maxChapters = 5_000

/** Reads EPUB books (EPUB 3.3): their title and authors, then their chapters in reading order. */
export const epub: Parser = {
  async *parse({ file, scan }, context) {
    const archive = await ZipArchive.open(file)
    if (scan?.picture !== undefined)
      return yield* readPicture(await loadPicture(archive, scan.picture, maxPictureBytes), context)
    const packagePath = await findPackage(archive)
    const book = await readPackage(archive, packagePath)
    if (book.chapters.length === 0) throw failure("not_epub")
    context.describe({ date: parseDocumentDate(book.date) })
    const encrypted = await findEncrypted(archive)
    const title = [book.title, book.authors.join(", ")].filter((part) => part !== "").join("\n")
    if (title !== "") yield { kind: "paragraph", text: title.slice(0, 4_000), location: {} }
    let missing = 0
    for (const chapter of book.chapters.slice(0, maxChapters)) {
      if (encrypted.has(chapter)) throw failure("encrypted")
      if (archive.has(chapter)) yield* readChapter(archive, chapter, context)
      else missing++
    }
    const left = missing + Math.max(0, book.chapters.length - maxChapters)
    if (left > 0) context.note(reason("chapters_left_out", { chapters: left, count: book.chapters.length }))
  },
}

/** Returns the path of the package document, which lists the book's parts. */
async function findPackage(archive: ZipArchive): Promise<string> {
  let path: string | undefined
  await readXml(archive, "META-INF/container.xml", {
    open(name, attributes) {
      if (name === "rootfile") path ??= attributes["full-path"]
    },
  })
  if (path === undefined || !archive.has(path)) throw failure("not_epub")
  return path
}

interface Book {
  title: string
  authors: string[]
  /** When it was published, as it says; empty: it doesn't. */
  date: string
  /** Paths of the chapters in the archive, in reading order. */
  chapters: string[]
}

async function readPackage(archive: ZipArchive, path: string): Promise<Book> {
  const directory = posix.dirname(path)
  const hrefs = new Map<string, string>()
  const spine: string[] = []
  const book: Book = { title: "", authors: [], date: "", chapters: [] }
  let element = ""
  await readXml(archive, path, {
    open(name, { id = "", href, idref }) {
      element = name
      if (name === "item" && href !== undefined) hrefs.set(id, href)
      else if (name === "itemref" && idref !== undefined) spine.push(idref)
      else if (name === "creator") book.authors.push("")
    },
    text(text) {
      if (element === "title") book.title += text
      else if (element === "date") book.date += text
      else if (element === "creator") book.authors.push((book.authors.pop() ?? "") + text)
    },
    close: () => {
      element = ""
    },
  })
  book.title = book.title.trim()
  book.authors = book.authors.map((author) => author.trim()).filter((author) => author !== "")
  book.chapters = spine.flatMap((id) => {
    const href = hrefs.get(id)
    return href === undefined ? [] : posix.join(directory, decodePath(href))
  })
  return book
}

/** Addresses in the package are URLs without fragments. */
function decodePath(href: string): string {
  try {
    return decodeURIComponent(href.replace(/#.*/s, ""))
  } catch {
    return href
  }
}

/** Returns the encrypted parts. Books whose fonts only are obfuscated can be read. */
async function findEncrypted(archive: ZipArchive): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  await readXml(archive, "META-INF/encryption.xml", {
    open(name, { URI }) {
      if (name === "CipherReference" && URI !== undefined) found.add(decodePath(URI))
    },
  })
  return found
}

async function readXml(archive: ZipArchive, part: string, handler: XmlHandler): Promise<void> {
  for await (const _ of xmlSteps(archive.read(part), handler));
}

async function* readChapter(
  archive: ZipArchive,
  part: string,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  const see = async function* (address: string, location: Location): AsyncGenerator<Block> {
    const key = posix.join(posix.dirname(part), decodePath(address))
    if (!context.pictures || !archive.has(key)) return
    yield* context.pictures.see({ key, location, load: (maxBytes) => loadPicture(archive, key, maxBytes) })
  }
  yield* htmlBlocks(decode(archive.read(part)), context, { see, showsLinks: true })
}

async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let decoder: ReturnType<typeof createDecoder> | undefined
  for await (const chunk of chunks) {
    decoder ??= createDecoder(unicodeEncoding(chunk) ?? "utf-8")
    yield decoder.write(chunk)
  }
  if (decoder) yield decoder.end() ?? ""
}
