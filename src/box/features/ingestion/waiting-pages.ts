import type { ScannedPages } from "../../parsers/parser.ts"

/** What is left of a document whose text can be found already, but not what its scanned pages show. */
export interface WaitingPages {
  pages: number[]
  /** Of the whole document. */
  pageCount: number
  /** Pages that had their turn and showed text, or couldn't be read. */
  legible: number
  failed: number
  /** Passages of the document so far. */
  passages: number
  spentMs: number
  /** What was said about the rest of the document. */
  notes: string[]
}

const mostPages = 1_000
/** For all pages of one document. */
const longestMs = 2 * 3_600_000

/** Which pages of a document are read later, after `passages` of it were found. */
export function pagesToRead(
  { pages, pageCount }: ScannedPages,
  passages: number,
  notes: readonly string[],
): WaitingPages {
  const tooMany = pages.length - mostPages
  const left = tooMany > 0 ? [leftOut(tooMany, pageCount)] : []
  return {
    pages: pages.slice(0, mostPages),
    pageCount,
    legible: 0,
    failed: 0,
    passages,
    spentMs: 0,
    notes: [...notes, ...left],
  }
}

export function describeWaiting({ pages, pageCount, notes }: WaitingPages): string {
  const verb = pages.length === 1 ? "waits" : "wait"
  return joinNotes([`${share(pages.length, pageCount)} ${verb} for OCR.`, ...notes]) ?? ""
}

/** Percent of a document that can be found. */
export const shareRead = ({ pages, pageCount }: WaitingPages) =>
  Math.floor(((pageCount - pages.length) / pageCount) * 100)

/** As it is stored; a person reads it. */
export const joinNotes = (notes: readonly string[]): string | null =>
  notes.length > 0 ? notes.join(" ").slice(0, 1000) : null

/** The same after the first page had its turn; once that took too long in all, the others are left out. */
export function withoutFirst(
  waiting: WaitingPages,
  turn: { legible: boolean; failed: boolean; passages: number; ms: number },
): WaitingPages {
  const { pageCount, notes } = waiting
  const [, ...pages] = waiting.pages
  const spentMs = Math.round(waiting.spentMs + turn.ms)
  const tooLong = spentMs > longestMs && pages.length > 0
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

/** What there is to say once no page waits any more. */
export function describeEnd({ pageCount, legible, failed, passages, notes }: WaitingPages): string | null {
  return joinNotes([
    ...(passages === 0 ? ["No text was found in this file."] : []),
    ...(legible > 0 ? [`${share(legible, pageCount)} by OCR.`] : []),
    ...(failed > 0 ? [`${share(failed, pageCount)} couldn't be read by OCR.`] : []),
    ...notes,
  ])
}

const leftOut = (count: number, pageCount: number) =>
  `${share(count, pageCount)} left without OCR, because there are too many of them.`

const share = (count: number, all: number) => `${count} of ${all} ${all === 1 ? "page" : "pages"}`
