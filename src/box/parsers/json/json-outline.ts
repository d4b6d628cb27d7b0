import { isBase64 } from "../blobs/base64.ts"
import { holdsDataUri, removeDataUris } from "../blobs/data-uris.ts"
import { collectFileHint, type FileHints } from "../blobs/file-hints.ts"
import { maxBase64Length, type InnerDocuments } from "../blobs/inner-documents.ts"
import { failure } from "../parser.ts"
import type { Block } from "../parser.ts"
import { LineBlock } from "../text/line-block.ts"
import type { Line } from "../text/read-lines.ts"
import { splitText } from "../text/split-text.ts"
import { partCharacters, type JsonEvents } from "./json-scanner.ts"

const maxDepth = 10_000
/** Maximum length of a path. The end of a deep path is more informative than its start. */
const maxPathCharacters = 200
/** Elements of a list stay in one block until the block has this many characters. */
const comfortableCharacters = 500

/** Short values of a list share a line up to this length. */
const listCharacters = 500

interface Level {
  array: boolean
  path: string
  /** Name of the current member of an object. */
  key: string | undefined
  /** Index of the current element of an array. */
  index: number
  /** Information from the members so far about a file that another member may contain. */
  fileHints: FileHints
}

/** A string that arrives in parts and contains base64. */
interface Blob {
  parts: string[]
  length: number
}

/** Turns JSON tokens into lines with the path of each value, and the lines into blocks. */
export class JsonOutline implements JsonEvents {
  readonly blocks: Block[] = []
  readonly #lines = new LineBlock()
  #level: Level = { array: true, path: "", key: undefined, index: 0, fileHints: {} }
  readonly #outer: Level[] = []
  /** The line to which the next element of the same list may be added. */
  #list: { level: Level; line: Line } | undefined
  /** Whether the last part of a long string is followed by another. */
  #continues = false
  #blob: Blob | undefined
  readonly #documents: InnerDocuments

  /** @param documents receives the documents that the JSON contains as base64 */
  constructor(documents: InnerDocuments) {
    this.#documents = documents
  }

  open(array: boolean): void {
    if (this.#outer.length > maxDepth) throw failure("json_too_deep")
    const path = this.#path()
    this.#outer.push(this.#level)
    this.#level = { array, path, key: undefined, index: 0, fileHints: {} }
  }

  close(): void {
    this.#level = this.#outer.pop() ?? this.#level
    this.#level.key = undefined
    if (this.#outer.length <= 1 && this.#lines.length >= comfortableCharacters) this.end()
  }

  comma(): void {
    this.#level.key = undefined
    this.#level.index++
  }

  scalar(text: string, line: number, continues: boolean): void {
    const level = this.#level
    if (!level.array && level.key === undefined) {
      if (!continues) level.key = text
      return
    }
    if (this.#blob || isBase64(text) || holdsDataUri(text)) this.#gather(text, line, continues)
    else this.#addPart({ text: text.trim(), number: line, continues })
    if (continues) return
    collectFileHint(level.fileHints, level.key ?? "", text)
    level.key = undefined
  }

  /** Ends the current block. */
  end(): void {
    this.#endList()
    this.#endBlock()
  }

  #addPart(part: Line): void {
    this.#addValue(part)
    this.#continues = part.continues
  }

  /** Holds a string that contains base64 until it is complete, unless it is too long to be read. */
  #gather(part: string, number: number, continues: boolean): void {
    const blob = (this.#blob ??= { parts: [], length: 0 })
    blob.length += part.length
    if (blob.length > maxBase64Length) blob.parts = []
    else blob.parts.push(part)
    if (continues) return
    this.#blob = undefined
    const { fileHints } = this.#level
    if (blob.length > maxBase64Length) this.#documents.leaveOut(fileHints)
    const rest = this.#withoutBlobs(blob.parts.join(""), fileHints)
    const parts = splitText(rest.trim(), partCharacters)
    for (const [index, text] of parts.entries())
      this.#addPart({ text, number, continues: index < parts.length - 1 })
    if (parts.length === 0 && this.#continues) this.#addPart({ text: "", number, continues: false })
  }

  #withoutBlobs(text: string, fileHints: FileHints): string {
    if (!isBase64(text)) return removeDataUris(text, this.#documents, fileHints)
    this.#documents.add(text, fileHints)
    return ""
  }

  #addValue(value: Line): void {
    const level = this.#level
    const joins =
      this.#list?.level === level && this.#list.line.text.length + value.text.length < listCharacters
    if (this.#list && joins && !value.continues) {
      this.#list.line.text += `, ${value.text}`
      return
    }
    this.#endList()
    const path = this.#continues ? "" : level.array ? level.path : this.#path()
    const line = { ...value, text: path === "" ? value.text : `${path}: ${value.text}` }
    if (level.array && !value.continues && !this.#continues) this.#list = { level, line }
    else this.#addLine(line)
  }

  #endList(): void {
    if (this.#list) this.#addLine(this.#list.line)
    this.#list = undefined
  }

  #addLine(line: Line): void {
    if (this.#lines.overflows(line)) this.#endBlock()
    this.#lines.add(line)
  }

  #endBlock(): void {
    const block = this.#lines.take("paragraph")
    if (block) this.blocks.push(block)
  }

  /** Returns the path of the current member or element. */
  #path(): string {
    const { array, path, key = "", index } = this.#level
    const member = path === "" ? key : `${path}.${key}`
    const element = this.#outer.length === 0 ? "" : `${path}[${index}]`
    return (array ? element : member).slice(-maxPathCharacters)
  }
}
