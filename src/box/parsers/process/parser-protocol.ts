import type { FileReason } from "../../../shared/contract/files.ts"
import type { Block, ParserInput, ScannedPages, StatedProperties, TransientCause } from "../parser.ts"
import type { PagePicture, PageSize } from "../pages/page-pictures.ts"
import type { PreparedPicture } from "../vision/prepare-picture.ts"

/** Messages to a parser process. It may send `batchWindow` batches unrequested, and one more for each `next`. */
export type ParserRequest =
  | {
      type: "read"
      input: ParserInput
      maxCharacters: number
      /** Directory of language files; null where reading must be quick. */
      ocrLanguages: string | null
      /** Whether scanned pages may be reported and left out, if the format has pages. */
      leaveScans: boolean
      /** Whether the pictures in documents are reported with the scans. */
      wantsPictures: boolean
      /** Maximum processor time, in ms; with OCR, from one `recognising` to the next. */
      processorMs: number
    }
  | { type: "next" }
  /** Each is answered by one reply of the same type, or by its failure. */
  | { type: "page-sizes"; input: ParserInput }
  | { type: "page-picture"; input: ParserInput; number: number; width: number }
  /** Both are answered by `prepared-picture`, or by its failure. The second names a picture in a document by its scan. */
  | { type: "prepare-picture"; bytes: Uint8Array }
  | { type: "shown-picture"; input: ParserInput }

/** Messages from a parser process. Everything except `recognising` and a batch that isn't `done` ends the document. */
export type ParserReply = { notes: FileReason[] } & (
  | {
      type: "batch"
      blocks: Block[]
      done: boolean
      scans?: ScannedPages
      properties?: StatedProperties
      /** The readers that read the document, as `UsedReaders` describes them. */
      readers?: string
    }
  /** An image is being recognised. Sent unrequested, so it may be lost while the parent isn't waiting. */
  | { type: "recognising" }
  | { type: "page-sizes"; sizes: PageSize[] }
  | { type: "page-picture"; picture: PagePicture }
  | { type: "prepared-picture"; picture: PreparedPicture }
  | { type: "ocr-needed" }
  | {
      type: "failure"
      reason: FileReason
      outcome: "failed" | "skipped"
      transientCause?: TransientCause
      readers?: string
    }
  /** An internal error: this process isn't trusted with another document. */
  | { type: "fault"; message: string }
)

/** Maximum batches that wait in the parent. */
export const batchWindow = 2

/** A batch is sent when it has this many blocks or characters. */
export const batchBlocks = 512
export const batchCharacters = 128 * 1024
