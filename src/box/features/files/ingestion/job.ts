import { z } from "zod"
import { reason } from "../../../../shared/contract/file-reasons.ts"
import { FileReason, type ReadAs } from "../../../../shared/contract/files.ts"
import { Location, PageArea } from "../../../../shared/contract/location.ts"
import type { ScannedPages } from "../../../parsers/parser.ts"
import type { ReadingOptions } from "../../../parsers/readers.ts"

/** A file being indexed. `revision` identifies its content: results for an older revision are discarded. */
export interface Job extends ReadingOptions {
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
  /** How a person chose that it is read; null: as its content suggests. */
  readAs: ReadAs | null
  /** The readers that read it, as `UsedReaders` describes them. */
  readers: string | null
  /** Set if the first of these pages is to be read with OCR, because everything else has already been read. */
  waiting: WaitingPages | null
}

const WaitingScan = z.object({
  page: z.int(),
  inside: z.array(z.int()).exactOptional(),
  /** Position of its text: at its page, or after all pages for a document inside the file and for a picture. */
  place: z.int(),
  /** If it is a picture in a document: its key, and its place in the file. */
  picture: z
    .object({
      key: z.string(),
      location: Location,
      area: PageArea.exactOptional(),
      isHidden: z.literal(true).exactOptional(),
    })
    .exactOptional(),
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
  /** Number of pictures in the whole document, and of those processed that contained text, or that couldn't be read. */
  pictures: z
    .object({ count: z.int(), legible: z.int(), failed: z.int() })
    .default({ count: 0, legible: 0, failed: 0 }),
  spentMs: z.number(),
  /** Notes on the rest of the document. */
  notes: z.array(FileReason),
})
export type WaitingPages = z.infer<typeof WaitingPages>

const maxPages = 1_000
/** More pages than any document that is read. */
const behindPages = 1_000_000
/** The places of pictures, after those of all pages. */
export const firstPicture = 2_000_000
/** Timeout for all pages of one document. */
const timeoutMs = 2 * 3_600_000

/** Returns the pages of a document that are read later, after `passages` passages of it were found. */
export function pagesToRead(
  { scans, pageCount, pictures = [] }: ScannedPages,
  passages: number,
  notes: readonly FileReason[],
): WaitingPages {
  const tooMany = scans.length - maxPages
  const left = tooMany > 0 ? [leftOut(tooMany, pageCount)] : []
  const pages = scans
    .slice(0, maxPages)
    .map((scan, index) => ({ ...scan, place: scan.inside ? behindPages + index : scan.page }))
  const pictureScans = pictures.map(({ inside, ...picture }, index) => ({
    page: 1,
    ...(inside && { inside }),
    place: firstPicture + index,
    picture,
  }))
  return {
    pages: [...pages, ...pictureScans],
    pageCount,
    pictures: { count: pictures.length, legible: 0, failed: 0 },
    legible: 0,
    failed: 0,
    passages,
    spentMs: 0,
    notes: [...notes, ...left],
  }
}

export function describeWaiting({ pages, pageCount, notes }: WaitingPages): FileReason[] {
  const pictures = pages.filter(({ picture }) => picture).length
  const scans = pages.length - pictures
  const waits = []
  if (scans === 1) waits.push(reason("page_waits", { count: pageCount }))
  else if (scans > 1) waits.push(reason("pages_wait", { pages: scans, count: pageCount }))
  if (pictures > 0) waits.push(reason("images_wait", { count: pictures }))
  return [...waits, ...notes]
}

/** Returns the next page to read. A document without one isn't waiting. */
export function getFirstPage({ pages: [first] }: WaitingPages): WaitingScan {
  if (first) return first
  throw new Error("A document waits for OCR, but none of its pages does.")
}

/** Returns the percentage of a document's pages and pictures that can be found. */
export function getPercentRead({ pages, pageCount, pictures }: WaitingPages): number {
  const count = pageCount + pictures.count
  return count === 0 ? 100 : Math.max(0, Math.floor(((count - pages.length) / count) * 100))
}

/** Returns the waiting pages after the first was processed. If the total time exceeds the limit, the others are left out. */
export function dropFirst(
  waiting: WaitingPages,
  turn: { legible: boolean; failed: boolean; passages: number; ms: number },
): WaitingPages {
  const { pageCount, notes } = waiting
  const [first, ...pages] = waiting.pages
  const spentMs = Math.round(waiting.spentMs + turn.ms)
  const tooLong = spentMs > timeoutMs && pages.length > 0
  const counts = first?.picture ? waiting.pictures : waiting
  const { legible, failed } = {
    legible: counts.legible + (turn.legible ? 1 : 0),
    failed: counts.failed + (turn.failed ? 1 : 0),
  }
  return {
    ...(first?.picture
      ? {
          legible: waiting.legible,
          failed: waiting.failed,
          pictures: { ...waiting.pictures, legible, failed },
        }
      : { legible, failed, pictures: waiting.pictures }),
    pages: tooLong ? [] : pages,
    pageCount,
    passages: waiting.passages + turn.passages,
    spentMs,
    notes: tooLong ? [...notes, ...describeLeftOut(pages, pageCount)] : notes,
  }
}

/** Returns the waiting pages without the pictures, which are no longer wanted. */
export function dropPictures(waiting: WaitingPages): WaitingPages {
  const pages = waiting.pages.filter(({ picture }) => !picture)
  const dropped = waiting.pages.length - pages.length
  return { ...waiting, pages, pictures: { ...waiting.pictures, count: waiting.pictures.count - dropped } }
}

/** Returns the notes for a document when no page is waiting any more. */
export function describeEnd({
  pageCount,
  legible,
  failed,
  passages,
  pictures,
  notes,
}: WaitingPages): FileReason[] {
  const counted = (code: "pages_by_ocr" | "pages_unread_by_ocr", pages: number) =>
    pages > 0 ? [reason(code, { pages, count: pageCount })] : []
  return [
    ...(passages === 0 ? [reason("no_text")] : []),
    ...counted("pages_by_ocr", legible),
    ...counted("pages_unread_by_ocr", failed),
    ...(pictures.legible > 0
      ? [reason("images_by_ocr", { images: pictures.legible, count: pictures.count })]
      : []),
    ...(pictures.failed > 0 ? [reason("images_unread_by_ocr", { count: pictures.failed })] : []),
    ...notes,
  ]
}

function describeLeftOut(pages: WaitingPages["pages"], pageCount: number): FileReason[] {
  const pictures = pages.filter(({ picture }) => picture).length
  const scans = pages.length - pictures
  return [
    ...(scans > 0 ? [leftOut(scans, pageCount)] : []),
    ...(pictures > 0 ? [reason("images_left_out", { count: pictures })] : []),
  ]
}

const leftOut = (pages: number, pageCount: number) => reason("pages_without_ocr", { pages, count: pageCount })
