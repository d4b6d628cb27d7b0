import { reason, reasonText, type ReasonArguments } from "../../shared/contract/file-reasons.ts"
import type { BlockKind, FileReason, ReadAs } from "../../shared/contract/files.ts"
import type { Location, PageArea } from "../../shared/contract/location.ts"
import type { DocumentFile } from "./document/document-file.ts"

/**
 * Why an intact file can't be read at the moment: another program locks it, its disk fails, another file has just replaced it, or the
 * process that read it ended, possibly for another reason.
 */
export type TransientCause = "locked" | "device" | "exchanged" | "died"

const locked = new Set(["EBUSY", "ETXTBSY"])
/** The disk may be on a network. */
const device = new Set(
  (
    "EIO ESTALE ENXIO ENODEV EAGAIN ETIMEDOUT " +
    "EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH ENOTCONN ECONNRESET"
  ).split(" "),
)

/** Returns the cause that an operating system error indicates for a file that can't be read. */
export function getTransientCause(error: unknown): TransientCause | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (locked.has(code)) return "locked"
  return device.has(code) ? "device" : undefined
}

/** An area of an image, in pixels from the top left. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** A paragraph found in an image. */
export interface RecognisedParagraph {
  text: string
  /** In pixels of the image. */
  area: Area | undefined
}

/** Finds the text in an image. */
export interface TextRecognizer {
  /** Set if images are wanted in colour where they are decoded first, at least this large if they are larger, in pixels of the longer side. */
  readonly colourSide?: number
  /**
   * Returns paragraphs in reading order, or none if nothing is legible. Throws `ParseFailure` when the image can't be decoded or takes too
   * long.
   *
   * @param image the bytes of a PNG, JPEG, GIF, WebP or PGM file
   */
  recognize(image: Uint8Array): Promise<RecognisedParagraph[]>
}

/** Reading can't continue without OCR, which wasn't allowed. */
export class OcrNeeded extends Error {
  override readonly name = "OcrNeeded"

  constructor() {
    super("This document holds pictures of text.")
  }
}

/** Identifies a file regardless of its name. */
export interface FileIdentity {
  device: bigint
  inode: bigint
}

/** One structural piece of a document, in reading order. `text` is never longer than `maxBlockCharacters`. */
export interface Block {
  kind: BlockKind
  text: string
  location: Location
  /** Area on the page of its location, if the format has pages that can be shown. */
  area?: PageArea
  /** Set if the block only stands for a picture. It has no text, and no one outside the parsers receives it. */
  picture?: { key: string; inside: number[] }
}

/** Maximum length of a block's text, in UTF-16 units. Parsers split longer text at a sensible point. */
export const maxBlockCharacters = 4000

/** Number of leading bytes of a file that tell its type, or all if the file is shorter. */
export const detectionBytes = 65_536

/** A document to read. */
export interface ParserInput {
  /** Absolute path of the file to read. */
  path: string
  /** The expected file, if another one could replace it in the meantime. */
  identity?: FileIdentity
  /** Display name. Its extension is used to detect the type if the content is ambiguous. */
  name: string
  /** Whether this is a web page of which only the main text is needed. */
  article?: true
  /** Password of an encrypted document. */
  password?: string
  /** Reads only this scan of a document whose scans were left for OCR. */
  scan?: WantedScan
  /** How the letters of a text are encoded, and what separates the cells of a CSV file, if a person chose that. */
  readAs?: ReadAs
  /** Whether hidden rows, columns, sheets and text are read and marked. Otherwise they are left out. */
  marksHidden?: boolean
}

/** An open document, with everything that parsers receive of it. */
export interface OpenedInput extends Omit<ParserInput, "path" | "identity"> {
  file: DocumentFile
}

/** A page that shows an image of text, or an image that is a page. */
export interface Scan {
  /** Counted from 1. */
  page: number
  /**
   * Path to the document inside the file that contains the scan: its number in the file, then the number inside that document, and so on.
   * Absent for the file itself.
   */
  inside?: number[]
}

/** The only part of a file to read: a scan, or a picture in a document. */
export interface WantedScan extends Scan {
  /** The key of the picture, which the parser of its format chose. */
  picture?: string
}

export interface ScannedPages {
  scans: Scan[]
  /** Number of pages of all documents with scans. */
  pageCount: number
  /** Pictures in documents, if they are wanted. */
  pictures?: FoundPicture[]
}

/** A picture that a document shows, which may contain text. */
export interface FoundPicture {
  key: string
  /** As in `Scan`. */
  inside?: number[]
  location: Location
  /** Its area on the page of its location, if known. */
  area?: PageArea
  /** Whether the document shows it only in hidden parts, so that its text is marked. */
  isHidden?: true
}

/** Maximum length of a picture's key, and maximum bytes of a picture whose text is read. */
export const maxPictureKey = 1000
export const maxPictureBytes = 2 ** 25

/** A picture as the parser of a document finds it. */
export interface SeenPicture extends Omit<FoundPicture, "inside" | "isHidden"> {
  /** Fetches its bytes, which identify it; undefined if there are none. Throws `ParseFailure` if they can't be read or exceed `maxBytes`. */
  load(maxBytes: number): Promise<Uint8Array | undefined>
  /** In pixels, if its bytes don't tell. */
  size?: { width: number; height: number }
  /** Whether this place of the document is hidden. */
  isHidden?: boolean
}

/** Collects the pictures that a document shows. */
export interface PictureCollector {
  /**
   * Yields a block that stands for the picture until its location is complete, or none for a picture that isn't read: a small one, one of an
   * unknown format, or one that was seen before.
   */
  see(picture: SeenPicture): AsyncIterable<Block>
}

/** A document inside another one, such as an attachment. */
export interface EmbeddedDocument {
  name: string
  /** Its bytes, or a function that fetches at most `maxBytes` of them. The function isn't called if the document isn't read. */
  bytes: Uint8Array | ((maxBytes: number) => Promise<Uint8Array>)
  /** Members of archives and messages of mailboxes have limits of their own, and fail with `no_text` if they contain nothing. */
  role?: "member" | "message"
  /** Reads the document if its type is known. */
  parser?: Parser
  /** Receives what the document states about itself. */
  describe?(properties: DocumentProperties): void
  /** Receives the notes about the document and those inside it, which otherwise belong to the file. */
  note?(fileReason: FileReason): void
  /** Whether the file contains nothing else, so that the document's pages are the file's own. */
  whole?: true
}

/** A sender or recipient of a message. One of the two may be empty. */
export interface Correspondent {
  name: string
  address: string
}

/** Properties that a document states about itself. */
export interface DocumentProperties {
  /** When it was sent, created or taken, or when its event starts. An implausible date is ignored, and so is any after the first. */
  date?: Date | undefined
  /** Its senders and recipients, if it is a message. */
  people?: readonly Correspondent[]
}

/** Properties that a document states about itself, once it is read. */
export interface StatedProperties {
  /** Its date, in milliseconds since 1970; null: none. */
  dateMs: number | null
  people: Correspondent[]
}

/** Maximum senders and recipients that are kept of one document, and lengths of their names and addresses. */
export const maxPeople = 500
export const maxPersonName = 200
export const maxPersonAddress = 320

/** Dates outside of these are defaults of programs, or nonsense. */
const earliest = Date.UTC(1900, 0, 1)
const latest = Date.UTC(2200, 0, 1)

/** Whether a document can have been written, sent or taken then, or can plan an event then. */
export const isPlausibleDate = (dateMs: number): boolean => dateMs >= earliest && dateMs < latest

export interface ParseContext {
  /** Reports what the document states about itself, before its first block. Documents inside a file don't describe the file. */
  describe(properties: DocumentProperties): void
  /** Reports to the reader of the result what was left out or repaired. */
  note(fileReason: FileReason): void
  /** Yields the blocks of a document inside this one, whatever its type. Throws `ParseFailure` like a parser. */
  embedded(document: EmbeddedDocument): AsyncIterable<Block>
  /** How a person chose that the file is read. Documents inside it are read as they suggest. */
  readAs?: ReadAs
  /** Whether hidden rows, columns, sheets and text are read and marked, also in documents inside the file. */
  marksHidden: boolean
  /** Number of archives around the document. */
  archives: number
  /** Whether only one scan inside the document is read, so that any other block is ignored. */
  onlyScan: boolean
  /** Absent where reading must be quick. A parser that needs it then throws `OcrNeeded`. */
  ocr?: TextRecognizer
  /** Present if the pictures in documents are wanted. */
  pictures?: PictureCollector
  /** If present, a document's scans are passed to it and left out, instead of throwing `OcrNeeded`. */
  leaveScans?(scans: ScannedPages): void
}

export interface Parser {
  /** Yields the document's text. Throws `ParseFailure` with a reason for users. */
  parse(input: OpenedInput, context: ParseContext): AsyncIterable<Block>
}

/** A document that can't be read, with a reason that users can act on. */
export class ParseFailure extends Error {
  override readonly name = "ParseFailure"
  readonly reason: FileReason
  /** `skipped`: the file is intact, but its type isn't supported. */
  readonly outcome: "failed" | "skipped"
  /** Set when the unchanged file may become readable later. */
  readonly transientCause: TransientCause | undefined

  constructor(reason: FileReason, outcome: "failed" | "skipped" = "failed", transientCause?: TransientCause) {
    super(reasonText(reason))
    this.reason = reason
    this.outcome = outcome
    this.transientCause = transientCause
  }
}

/** Creates a failure for a document with a problem. */
export const failure = (...because: ReasonArguments) => new ParseFailure(reason(...because))

/** Creates a failure for an intact document that isn't read. */
export const skipped = (...because: ReasonArguments) => new ParseFailure(reason(...because), "skipped")

/** Converts an operating system error about a document into a failure for users; undefined for any other error. */
export function fileFailure(error: unknown): ParseFailure | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR") return failure("gone")
  if (code === "EACCES" || code === "EPERM") return failure("not_allowed")
  if (code === "EISDIR") return failure("is_directory")
  const transientCause = getTransientCause(error)
  return (
    transientCause &&
    new ParseFailure(
      reason(transientCause === "locked" ? "in_use" : "device_failed"),
      "failed",
      transientCause,
    )
  )
}
