import { SaxesParser } from "saxes"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { isBase64, isPlainBase64, removeDataUris } from "../blobs/base64.ts"
import { collectFileHint, type FileHints, InnerDocuments } from "../blobs/inner-documents.ts"
import { failure, maxBlockCharacters, type Block, type Parser } from "../parser.ts"
import { LineBlock, splitText } from "../text/split-text.ts"
import { readText } from "../text/text-encoding.ts"

const maxDepth = 1000
/** Children of the outermost elements stay in one block until the block has this many characters. */
const comfortableCharacters = 500
/** Text of one element is split after this many characters. */
const maxTextCharacters = 65_536
/** Names that give no information about their text. */
const plainNames = new Set(["p", "para", "t", "text", "span", "li", "td", "th", "div", "br"])
/** Attributes intended for programs. */
const technicalAttribute = /^(xmlns|xsi:|xml:space|style$|class$)/
/** Names of elements that contain only base64 by definition: in UBL, CII and FatturaPA. */
const binaryName = /BinaryObject$|^Attachment$/

interface Element {
  name: string
  label: string
  /** Whether the label contains more than the name and hasn't been written yet. */
  unwritten: boolean
  text: string
  line: number
  /** The last child, until it is clear whether it is in the middle of a sentence. */
  child: { label: string; text: string; line: number } | undefined
  /** Information about a file that the element may contain, from its attributes and from its children. */
  fileHints: FileHints
  childHints: FileHints
}

/** Turns XML elements into lines, and the lines into blocks. Text within other text stays there. */
class XmlOutline {
  readonly blocks: Block[] = []
  readonly #lines = new LineBlock()
  readonly #open: Element[] = []
  readonly #documents: InnerDocuments
  #drawing = false

  /** @param documents receives the documents that the XML contains as base64 */
  constructor(documents: InnerDocuments) {
    this.#documents = documents
  }

  open(qualifiedName: string, attributes: Record<string, string>, line: number): void {
    if (this.#open.length >= maxDepth) throw failure("xml_too_deep")
    const parent = this.#open.at(-1)
    if (parent) {
      this.#writeChild(parent)
      if (parent.unwritten) this.#write(parent.label, "", parent.line)
      parent.unwritten = false
    }
    const name = qualifiedName.replace(/^.*:/, "")
    if (!parent) this.#drawing = name === "svg" // Its attributes are coordinates.
    const described = this.#drawing ? "" : this.#describe(attributes)
    const label = described === "" ? name : `${name} (${described})`
    const fileHints: FileHints = {}
    for (const [key, value] of Object.entries(attributes)) collectFileHint(fileHints, key, value)
    const unwritten = described !== ""
    this.#open.push({ name, label, unwritten, text: "", line, child: undefined, fileHints, childHints: {} })
  }

  text(text: string): void {
    const element = this.#open.at(-1)
    if (!element || text.trim() === "") return
    const hints = { ...this.#open.at(-2)?.childHints, ...element.fileHints }
    const isBinary = binaryName.test(element.name) && (hints.name ?? hints.type) !== undefined
    if (isBase64(text) || (isBinary && isPlainBase64(text))) {
      this.#documents.add(text, hints)
      return
    }
    if (element.child) {
      element.text += `${element.child.text} `
      element.child = undefined
    }
    element.text += removeDataUris(text, this.#documents)
    if (element.text.length > maxTextCharacters) {
      this.#write(element.label, element.text, element.line)
      element.text = ""
    }
  }

  close(): void {
    const element = this.#open.pop()
    if (!element) return
    this.#writeChild(element)
    const parent = this.#open.at(-1)
    const text = element.text.replace(/\s+/g, " ").trim()
    if (parent) collectFileHint(parent.childHints, element.name, text)
    const label = element.unwritten || !plainNames.has(element.name) ? element.label : ""
    if (text === "" && !element.unwritten) return
    if (parent && parent.text.trim() !== "" && text !== "") parent.text += text
    else if (parent) parent.child = { label, text, line: element.line }
    else this.#write(label, text, element.line)
    if (this.#open.length <= 1 && this.#lines.length >= comfortableCharacters) this.#endBlock()
  }

  /** Writes the rest, including elements that were never closed. */
  end(): void {
    while (this.#open.length > 0) this.close()
    this.#endBlock()
  }

  #describe(attributes: Record<string, string>): string {
    return Object.entries(attributes)
      .filter(([name]) => !technicalAttribute.test(name))
      .map(([name, value]) => [name, this.#withoutBlobs(value).replace(/\s+/g, " ").trim()])
      .filter(([, value]) => value !== "")
      .map(([name, value]) => `${name}: ${value}`)
      .join(", ")
  }

  #withoutBlobs(value: string): string {
    if (!isBase64(value)) return removeDataUris(value, this.#documents)
    this.#documents.add(value)
    return ""
  }

  #writeChild(element: Element): void {
    if (element.child) this.#write(element.child.label, element.child.text, element.child.line)
    element.child = undefined
  }

  #write(label: string, text: string, number: number): void {
    const line = label === "" || text === "" ? label + text : `${label}: ${text}`
    for (const part of splitText(line, maxBlockCharacters)) {
      const piece = { text: part, number, continues: false }
      if (this.#lines.overflows(piece)) this.#endBlock()
      this.#lines.add(piece)
    }
  }

  #endBlock(): void {
    const block = this.#lines.take("paragraph")
    if (block) this.blocks.push(block)
  }
}

/**
 * XML of any kind, as lines such as `author: Ada`. A document type definition that declares entities or refers to another file is refused.
 * One that only names a public vocabulary is accepted but never fetched.
 */
export const xml: Parser = {
  async *parse({ file }, context) {
    const documents = new InnerDocuments()
    const outline = new XmlOutline(documents)
    const parser = new SaxesParser()
    let complaint: string | undefined
    parser.on("error", (error) => (complaint ??= error.message))
    parser.on("doctype", refuseDangerous)
    parser.on("opentag", ({ name, attributes }) => outline.open(name, attributes, parser.line))
    parser.on("closetag", () => outline.close())
    parser.on("text", (text) => outline.text(text))
    parser.on("cdata", (text) => outline.text(text))
    let found = false
    for await (const chunk of readText(file, context, declaredEncoding)) {
      parser.write(chunk)
      found ||= outline.blocks.length > 0
      yield* outline.blocks.splice(0)
      yield* documents.read(context)
    }
    parser.close()
    outline.end()
    found ||= outline.blocks.length > 0
    yield* outline.blocks
    yield* documents.read(context)
    if (!complaint) return
    if (!found) throw failure("not_well_formed_xml", { place: complaint })
    context.note(reason("xml_not_well_formed", { place: complaint }))
  },
}

function declaredEncoding(head: string): string | undefined {
  return /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
}

function refuseDangerous(doctype: string): void {
  if (/<!ENTITY/i.test(doctype)) {
    throw failure("xml_entities")
  }
  if (/["']\s*file:/i.test(doctype)) {
    throw failure("xml_points_elsewhere")
  }
}
