import { blankLine, getLineHeight, type PageLine } from "./pdf-document.ts"

/** The part of a page that this module needs. */
interface NumberedPage {
  number: number
  lines: PageLine[]
  /** Whether its lines are kept because they are only stamps on a picture. */
  isScan: boolean
}

/** Parts of a page's height at its top and bottom in which running lines are looked for. */
const marginHeight = 0.12
/** Minimum space between running lines and the text, relative to their height. */
const minSpace = 0.6
/** Maximum lines in the margins of a page, and the number of its neighbours before and after it that are compared. */
const maxCandidates = 24
const reach = 4
/** Number of neighbours that have the same line. Only every second one may have it. */
const minNeighbours = 2
/** Maximum difference in position on two pages, as a fraction of the page's height. */
const maxDistance = 0.006
/** Taller lines, relative to most of the page, are headings, such as the titles of slides. */
const headingHeight = 1.15
const maxNumbers = 4
const maxLength = 300
const maxKnown = 10_000

/** A line in a margin, with the texts by which it is found on other pages. */
interface Candidate {
  line: PageLine
  top: number
  /** Its text, and the same with each number replaced by its difference from the page's number. */
  keys: string[]
  hasWords: boolean
}

/**
 * Leaves out the lines that repeat in the margins of neighbouring pages, such as titles and page numbers. The first line of each text is
 * kept as a paragraph of its own; page numbers without other words aren't. Tables and headings aren't running lines.
 *
 * Each page is yielded when the next four have been read.
 */
export function* withoutRunningLines<Page extends NumberedPage>(
  pages: Iterable<Page>,
): Generator<Page, void, undefined> {
  const known = new Set<string>()
  /** The page that is yielded next, and its neighbours. */
  const near: { page: Page; candidates: Candidate[] }[] = []
  let current = 0
  function* next(): Generator<Page, void, undefined> {
    const entry = near[current]
    if (!entry) return
    const neighbours = near.filter((other) => other !== entry).map(({ candidates }) => candidates)
    const running = findRunning(entry.candidates, neighbours, known)
    yield entry.page.isScan ? entry.page : { ...entry.page, lines: leaveOut(entry.page.lines, running) }
    if (current < reach) current++
    else near.shift()
  }
  for (const page of pages) {
    near.push({ page, candidates: findCandidates(page) })
    if (near.length > current + reach) yield* next()
  }
  while (current < near.length) yield* next()
}

/** Returns the running lines of a page, and whether each is left out. Adds them to the known ones. */
function findRunning(
  candidates: readonly Candidate[],
  neighbours: readonly Candidate[][],
  known: Set<string>,
): Map<PageLine, boolean> {
  const needed = Math.min(minNeighbours, Math.max(1, neighbours.length))
  const running = new Map<PageLine, boolean>()
  for (const { line, top, keys, hasWords } of candidates) {
    const isRunning = (key: string) =>
      neighbours.filter((others) => hasLine(others, key, top)).length >= needed
    const key = keys.find(isRunning)
    if (key === undefined) continue
    // A title is the same on left and right pages.
    const title = key.replace(/#-?\d+/, "").trim()
    running.set(line, known.has(title) || !hasWords)
    if (known.size < maxKnown) known.add(title)
  }
  return running
}

function leaveOut(lines: PageLine[], running: ReadonlyMap<PageLine, boolean>): PageLine[] {
  if (running.size === 0) return lines
  return lines.flatMap((line) => {
    const isLeftOut = running.get(line)
    if (isLeftOut === undefined) return [line]
    return isLeftOut ? [] : [blankLine, line, blankLine]
  })
}

const hasLine = (candidates: readonly Candidate[], key: string, top: number): boolean =>
  candidates.some((each) => Math.abs(each.top - top) <= maxDistance && each.keys.includes(key))

function findCandidates({ lines, number }: NumberedPage): Candidate[] {
  const candidates: Candidate[] = []
  const heights = lines.map(getLineHeight).filter((height) => height > 0)
  const tallest = (heights.sort((a, b) => a - b)[heights.length >> 1] ?? 0) * headingHeight
  for (const { line, top } of findMarginLines(lines)) {
    if (line.text.length > maxLength || getLineHeight(line) > tallest) continue
    const text = line.text.replace(/\s+/g, " ").trim()
    const numbered = getNumberedKeys(text, number)
    // The header of a table may repeat, too.
    const keys = line.cells ? numbered : [text, ...numbered]
    if (text === "" || keys.length === 0) continue
    candidates.push({ line, top, keys, hasWords: hasWords(text) })
    if (candidates.length === maxCandidates) break
  }
  return candidates
}

/** Returns the lines at the top and bottom that a space parts from the rest of the page. A page without a rest has none. */
function findMarginLines(lines: readonly PageLine[]): { line: PageLine; top: number }[] {
  const placed = lines
    .flatMap((line) =>
      line.area ? [{ line, top: line.area.top, bottom: line.area.top + line.area.height }] : [],
    )
    .sort((a, b) => a.top - b.top)
  const parts: (typeof placed)[] = []
  let floor = -1
  for (const each of placed) {
    if (each.top - floor > (each.bottom - each.top) * minSpace) parts.push([])
    parts.at(-1)?.push(each)
    floor = Math.max(floor, each.bottom)
  }
  const isInMargin = ({ top, bottom }: { top: number; bottom: number }) =>
    bottom < marginHeight || top > 1 - marginHeight
  const inMargins = parts.filter((part) => part.every(isInMargin))
  return inMargins.length < parts.length ? inMargins.flat() : []
}

/** A number that isn't part of another one or of a code. */
const loneNumber = /(?<![\p{L}\p{N}.,/:-])[1-9]\d{0,3}(?![\p{L}\p{N}]|[.,/:-]\p{N})/gu
const roman = /^[ivxlc]{1,7}$/i
const pageWords = new Set("page p pagina pag página pág seite s of di de von sur".split(" "))

/** Whether a line has words other than those of a page number. */
const hasWords = (text: string): boolean =>
  (text.match(/\p{L}+/gu) ?? []).some((word) => !pageWords.has(word.toLowerCase()) && !roman.test(word))

function getNumberedKeys(text: string, page: number): string[] {
  if (roman.test(text)) return [`#${fromRoman(text.toLowerCase()) - page}`]
  const numbers = Array.from(text.matchAll(loneNumber)).slice(0, maxNumbers)
  return numbers.map(
    ({ 0: digits, index }) =>
      `${text.slice(0, index)}#${Number(digits) - page}${text.slice(index + digits.length)}`,
  )
}

const romanDigits: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 }

function fromRoman(text: string): number {
  const values = Array.from(text, (digit) => romanDigits[digit] ?? 0)
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0)
}
