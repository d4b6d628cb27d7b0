import { z } from "zod"
import { reason } from "../../../../shared/contract/file-reasons.ts"
import { FileReason } from "../../../../shared/contract/files.ts"
import type { ScannedPages } from "../../../parsers/parser.ts"

/** A file being indexed. `revision` identifies its content: results for an older revision are discarded. */
export interface Job {
  fileId: string
  folderId: string
  /** Owner of the folder. */
  ownerId: string
  root: string
  pipeline: "full" | "light"
  name: string
  subFolder: string
  size: number
  storage: "local" | "cloud"
  /** Key of its bytes in an object store; null if they are in a directory. */
  object: string | null
  revision: number
  attempts: number
  priority: number
  /** Set if the first of these pages is to be read with OCR, because everything else has already been read. */
  waiting: WaitingPages | null
}

const WaitingScan = z.object({
  page: z.int(),
  inside: z.array(z.int()).exactOptional(),
  /** Position of its text: at its page, or after all pages for a document inside the file. */
  place: z.int(),
})
type WaitingScan = z.infer<typeof WaitingScan>

/** The scanned pages that a document still needs to have read. Its other text can already be found. */
export const WaitingPages = z.object({
  pages: z.array(WaitingScan),
  /** Number of pages in the whole document. */
  pageCount: z.int(),
  /** Number of pages already processed that contained text, or that couldn't be read. */
  legible: z.int(),
  failed: z.int(),
  /** Number of passages of the document so far. */
  passages: z.int(),
  spentMs: z.number(),
  /** Notes on the rest of the document. */
  notes: z.array(FileReason),
})
export type WaitingPages = z.infer<typeof WaitingPages>

const maxPages = 1_000
/** More pages than any document that is read. */
const behindPages = 1_000_000
/** Timeout for all pages of one document. */
const timeoutMs = 2 * 3_600_000

/** Returns the pages of a document that are read later, after `passages` passages of it were found. */
export function pagesToRead(
  { scans, pageCount }: ScannedPages,
  passages: number,
  notes: readonly FileReason[],
): WaitingPages {
  const tooMany = scans.length - maxPages
  const left = tooMany > 0 ? [leftOut(tooMany, pageCount)] : []
  return {
    pages: scans
      .slice(0, maxPages)
      .map((scan, index) => ({ ...scan, place: scan.inside ? behindPages + index : scan.page })),
    pageCount,
    legible: 0,
    failed: 0,
    passages,
    spentMs: 0,
    notes: [...notes, ...left],
  }
}

export function describeWaiting({ pages, pageCount, notes }: WaitingPages): FileReason[] {
  const waits =
    pages.length === 1
      ? reason("page_waits", { count: pageCount })
      : reason("pages_wait", { pages: pages.length, count: pageCount })
  return [waits, ...notes]
}

/** Returns the next page to read. A document without one isn't waiting. */
export function getFirstPage({ pages: [first] }: WaitingPages): WaitingScan {
  if (first) return first
  throw new Error("A document waits for OCR, but none of its pages does.")
}

/** Returns the percentage of a document that can be found. */
export const getPercentRead = ({ pages, pageCount }: WaitingPages) =>
  Math.floor(((pageCount - pages.length) / pageCount) * 100)

/** Returns the waiting pages after the first was processed. If the total time exceeds the limit, the others are left out. */
export function dropFirst(
  waiting: WaitingPages,
  turn: { legible: boolean; failed: boolean; passages: number; ms: number },
): WaitingPages {
  const { pageCount, notes } = waiting
  const [, ...pages] = waiting.pages
  const spentMs = Math.round(waiting.spentMs + turn.ms)
  const tooLong = spentMs > timeoutMs && pages.length > 0
  return {
    pages: tooLong ? [] : pages,
    pageCount,
    legible: waiting.legible + (turn.legible ? 1 : 0),
    failed: waiting.failed + (turn.failed ? 1 : 0),
    passages: waiting.passages + turn.passages,
    spentMs,
    notes: tooLong ? [...notes, leftOut(pages.length, pageCount)] : notes,
  }
}

/** Returns the notes for a document when no page is waiting any more. */
export function describeEnd({ pageCount, legible, failed, passages, notes }: WaitingPages): FileReason[] {
  const counted = (code: "pages_by_ocr" | "pages_unread_by_ocr", pages: number) =>
    pages > 0 ? [reason(code, { pages, count: pageCount })] : []
  return [
    ...(passages === 0 ? [reason("no_text")] : []),
    ...counted("pages_by_ocr", legible),
    ...counted("pages_unread_by_ocr", failed),
    ...notes,
  ]
}

const leftOut = (pages: number, pageCount: number) => reason("pages_without_ocr", { pages, count: pageCount })
