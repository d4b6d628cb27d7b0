/** Characters that begin or end something in Markdown. */
const signs = "*_`[]<>~|!&\\@#+-$\n"
const isSign = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(signs.includes(String.fromCharCode(code))),
)
const perSign = 20
const perPiece = 200
const fence = /`{3}|~{3}/
const ofMarkdown = /(?:`{3}|~{3})[ \t]*(?:markdown|md|mkd)/i
/** Quotes and lists in each other take the square of their depth. */
/** What else begins something as it is read, though nothing of its own is drawn: lines, addresses. */
const readingSigns = signs + "\r\t.:/="
/** Signs that are tried as the end of each of those before them, wherever they stand in a word. */
const perReading = (sign: string): number => (sign === "_" ? 3 : readingSigns.includes(sign) ? 1 : 0)
const readingCost = Uint8Array.from({ length: 128 }, (_, code) => perReading(String.fromCharCode(code)))
const deepNesting = /^[ \t>*+\-\d.)]{60,}/m

const mostSigns = 400
const longest = 4000
const mostSteps = 400_000
/** Colours of code: some languages take the square of its length. */
const longestCode = 1500

function total(text: string, costs: Uint8Array): number {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum += costs[text.charCodeAt(index)] ?? 0
  return sum
}

/** What drawing a piece costs at most, in characters of plain text: each sign may make an element. */
export const drawingCost = (text: string): number => perPiece + text.length + perSign * total(text, isSign)

/** What reading a piece takes at most: it may go through all of it for each sign. */
export const readingSteps = (text: string): number => text.length * total(text, readingCost)

/**
 * Whether a piece is read within milliseconds whatever it says. Reading takes the square of what looks like the beginning
 * of something, so it is decided by how many signs there are and how much text they stand in.
 */
export function isCheap(text: string): boolean {
  if (text.length > longest) return false
  const count = total(text, readingCost)
  if (count > mostSigns || count * text.length > mostSteps || deepNesting.test(text)) return false
  return !fence.test(text) || (text.length <= longestCode && !ofMarkdown.test(text))
}
