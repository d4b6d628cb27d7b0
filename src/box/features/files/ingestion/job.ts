import { z } from "zod"
import { reason, reasonText } from "../../../../shared/contract/file-reasons.ts"
import { FileReason, type ReadAs } from "../../../../shared/contract/files.ts"
import { Location, PageArea } from "../../../../shared/contract/location.ts"
import type { ParseFailure, ScannedPages } from "../../../parsers/parser.ts"
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
  /** Whether a model describes the picture; otherwise its text is recognised. */
  isDescribed: z.literal(true).exactOptional(),
})
export type WaitingScan = z.infer<typeof WaitingScan>

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
  /** Number of descriptions in the whole document, and of those written, and the places of pictures that a model couldn't describe. */
  descriptions: z
    .object({
      count: z.int(),
      written: z.int(),
      failed: z.array(z.string()),
      cause: FileReason.exactOptional(),
    })
    .default({ count: 0, written: 0, failed: [] }),
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
/** The places of descriptions, after those of all pictures. */
export const firstDescription = 3_000_000
/**
 * Returns the pages of a document that are read later, after `passages` passages of it were found. Pictures are described after the text of
 * all of them was recognised, because that takes longest.
 */
export function pagesToRead(
  { scans, pageCount, pictures = [] }: ScannedPages,
  {
    passages,
    notes,
    describesPictures,
  }: { passages: number; notes: readonly FileReason[]; describesPictures: boolean },
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
  const described = describesPictures
    ? pictureScans.map((scan, index) => {
        return { ...scan, place: firstDescription + index, isDescribed: true as const }
      })
    : []
  return {
    pages: [...pages, ...pictureScans, ...described],
    pageCount,
    pictures: { count: pictures.length, legible: 0, failed: 0 },
    descriptions: { count: described.length, written: 0, failed: [] },
    legible: 0,
    failed: 0,
    passages,
    spentMs: 0,
    notes: [...notes, ...left],
  }
}

export function describeWaiting({ pages, pageCount, notes }: WaitingPages): FileReason[] {
  const { scans, pictures, descriptions } = countKinds(pages)
  const waits = []
  if (scans === 1) waits.push(reason("page_waits", { count: pageCount }))
  else if (scans > 1) waits.push(reason("pages_wait", { pages: scans, count: pageCount }))
  if (pictures > 0) waits.push(reason("images_wait", { count: pictures }))
  if (descriptions > 0) waits.push(reason("images_wait_for_description", { count: descriptions }))
  return [...waits, ...notes]
}

/** Counts scanned pages, pictures whose text is to be recognised, and pictures to describe. */
export function countKinds(pages: readonly WaitingScan[]) {
  const descriptions = pages.filter(({ isDescribed }) => isDescribed).length
  const pictures = pages.filter(({ picture }) => picture).length - descriptions
  return { scans: pages.length - pictures - descriptions, pictures, descriptions }
}

/** Returns the next page to read. A document without one isn't waiting. */
export function getFirstPage({ pages: [first] }: WaitingPages): WaitingScan {
  if (first) return first
  throw new Error("A document waits for OCR, but none of its pages does.")
}

/** Returns the percentage of a document's pages and pictures that can be found. */
export function getPercentRead({ pages, pageCount, pictures, descriptions }: WaitingPages): number {
  const count = pageCount + pictures.count + descriptions.count
  return count === 0 ? 100 : Math.max(0, Math.floor(((count - pages.length) / count) * 100))
}

/** Returns the note about pictures that weren't described. */
export const describeUndescribed = (places: readonly string[], cause: FileReason): FileReason =>
  reason("images_undescribed", { count: places.length, places: places.join("; "), cause })

/** Returns the notes for a document when no page is waiting any more. */
export function describeEnd({
  pageCount,
  legible,
  failed,
  passages,
  pictures,
  descriptions,
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
    ...(descriptions.written > 0
      ? [reason("images_described", { images: descriptions.written, count: descriptions.count })]
      : []),
    ...(descriptions.failed.length > 0 && descriptions.cause
      ? [describeUndescribed(descriptions.failed, descriptions.cause)]
      : []),
    ...notes,
  ]
}

/** Returns the note about pages that are never read. */
export const leftOut = (pages: number, pageCount: number) =>
  reason("pages_without_ocr", { pages, count: pageCount })

/** Number of attempts after which a page is treated as the cause if the reading process dies. */
const maxDeaths = 2

/** Whether a page can be tried again. If the process that reads it ends repeatedly, the page is the cause. */
export const mayBeTransient = ({ transientCause }: ParseFailure, { attempts }: Job): boolean =>
  transientCause !== undefined && (transientCause !== "died" || attempts < maxDeaths)

/** The model may describe pictures again later. */
export class ModelUnavailable extends Error {
  override readonly name = "ModelUnavailable"
  readonly reason: FileReason

  constructor(fileReason: FileReason) {
    super(reasonText(fileReason))
    this.reason = fileReason
  }
}
