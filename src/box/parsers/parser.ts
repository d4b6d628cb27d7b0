import { reason, reasonText, type ReasonArguments } from "../../shared/contract/file-reasons.ts"
import type { BlockKind, FileReason } from "../../shared/contract/files.ts"
import type { Location } from "../../shared/contract/location.ts"
import type { PageArea } from "../../shared/contract/page-area.ts"
import type { DocumentFile } from "./document/document-file.ts"
import type { TransientCause } from "./document/transient-cause.ts"
import type { TextRecognizer } from "./ocr/text-recognizer.ts"

/** What a file is, whatever its name. */
export interface FileIdentity {
  device: bigint
  inode: bigint
}

/** One structural piece of a document, in reading order; `text` is never longer than `maxBlockCharacters`. */
export interface Block {
  kind: BlockKind
  text: string
  location: Location
  /** On the page of its location, where the format has pages that can be shown. */
  area?: PageArea
}

/** Longest text of one block, in UTF-16 units. Parsers split at a sensible place below it. */
export const maxBlockCharacters = 4000

/** A document that is to be read. */
export interface ParserInput {
  /** Absolute path of the file to read. */
  path: string
  /** Which file that has to be, where another one could take its place meanwhile. */
  identity?: FileIdentity
  /** Display name; its extension is the second hint about the type, after the content. */
  name: string
  /** A web page: only its main text is wanted. */
  article?: true
  /** Of a document that is encrypted. */
  password?: string
  /** Of a document whose scans were left for OCR: only what this one shows. */
  scan?: Scan
}

/** A document that is open: all that parsers get of it. */
export interface OpenedInput extends Pick<ParserInput, "name" | "article" | "password" | "scan"> {
  file: DocumentFile
}

/** A page that shows a picture of text, or a picture that is a page. */
export interface Scan {
  /** Counted from 1. */
  page: number
  /** The document inside the file that it belongs to: its number there, and so on inwards. Absent for the file itself. */
  inside?: number[]
}

export interface ScannedPages {
  scans: Scan[]
  /** Of all documents that have scans. */
  pageCount: number
}

/** A document inside another one, such as an attachment. */
export interface EmbeddedDocument {
  name: string
  bytes: Uint8Array
  /** It is all that the file holds, so its pages are the file's own. */
  whole?: true
}

export interface ParseContext {
  /** Tells the reader of the result what was left out or repaired. */
  note(said: FileReason): void
  /** Blocks of a document inside this one, whatever its type. Throws `ParseFailure` like a parser. */
  embedded(document: EmbeddedDocument): AsyncIterable<Block>
  /** Absent where reading must be quick: a parser that needs it throws `OcrNeeded`. */
  ocr?: TextRecognizer
  /** Where it is there, a document's scans are named and left out, instead of throwing `OcrNeeded`. */
  leaveScans?(scans: ScannedPages): void
}

export interface Parser {
  /** Yields the document's text; throws `ParseFailure` with a reason for a person. */
  parse(input: OpenedInput, context: ParseContext): AsyncIterable<Block>
}

/** A document that can't be read, with the reason a person can act on. */
export class ParseFailure extends Error {
  override readonly name = "ParseFailure"
  readonly reason: FileReason
  /** `skipped`: nothing is wrong with the file, its type just isn't read. */
  readonly outcome: "failed" | "skipped"
  /** Set when it may be readable later, as it is. */
  readonly transientCause: TransientCause | undefined

  constructor(reason: FileReason, outcome: "failed" | "skipped" = "failed", transientCause?: TransientCause) {
    super(reasonText(reason))
    this.reason = reason
    this.outcome = outcome
    this.transientCause = transientCause
  }
}

/** Something is wrong with the document. */
export const failure = (...because: ReasonArguments) => new ParseFailure(reason(...because))

/** Nothing is wrong with the document, but it isn't read. */
export const skipped = (...because: ReasonArguments) => new ParseFailure(reason(...because), "skipped")
