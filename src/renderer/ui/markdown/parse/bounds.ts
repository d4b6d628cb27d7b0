/** Maximum number of characters read as one piece. Longer text is cut, whatever it is. */
export const maxBlockLength = 12_000
/** The same limit for a table, because its short cells become many elements. */
export const maxTableLength = 4000
/** Number of characters that share a piece in a long text, so that it doesn't become hundreds of thousands of pieces. */
export const fullBlock = 2000
/** From this position on, small blocks share a piece. */
export const longText = 4000
/** Maximum number of elements and texts per piece. Larger pieces are shown as plain text. */
export const maxNodes = 4000
/** The same limit for all pieces of a text: a megabyte of usual text by people and models has 250,000. */
export const maxNodesTogether = 300_000
/** Maximum number of characters of a word that are laid out together, because combining marks and joined letters take quadratic time. */
export const maxWordLength = 1000
/** Maximum nesting of elements. Deeper content is shown as text in the deepest level. */
export const maxDepth = 100
/** Number of pieces of a text that may take too long. After that, its other slow pieces are shown as plain text. */
export const maxOverruns = 2

/** Characters that begin or end something in Markdown. */
const signs = "*_`[]<>~|!&\\@#+-$\n"
const isSign = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(signs.includes(String.fromCharCode(code))),
)
const perSign = 20
const perPiece = 200
const fence = /`{3}|~{3}/
const markdownFence = /(?:`{3}|~{3})[ \t]*(?:markdown|md|mkd)/i
/** Characters that also start something while parsing, though they are never rendered as such: line breaks and addresses. */
const readingSigns = signs + "\r\t.:/="
/** Underscores count more, because each is tried as the end of all those before it, anywhere in a word. */
const perReading = (sign: string): number => (sign === "_" ? 3 : readingSigns.includes(sign) ? 1 : 0)
const readingCost = Uint8Array.from({ length: 128 }, (_, code) => perReading(String.fromCharCode(code)))
const deepNesting = /^[ \t>*+\-\d.)]{60,}/m

const maxSigns = 400
const maxLength = 4000
const maxSteps = 400_000
/** Maximum length of code that is coloured, because some languages take quadratic time. */
const maxCodeLength = 1500

function total(text: string, costs: Uint8Array): number {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum += costs[text.charCodeAt(index)] ?? 0
  return sum
}

/** Maximum cost of rendering a piece, in characters of plain text. Each markup character may create an element. */
export const drawingCost = (text: string): number => perPiece + text.length + perSign * total(text, isSign)

/** Maximum number of steps for parsing a piece. Each markup character may cause a pass over the whole piece. */
export const readingSteps = (text: string): number => text.length * total(text, readingCost)

/**
 * Whether a piece is parsed within milliseconds, whatever it contains. Parsing can take quadratic time in possible starts of markup, and in
 * the depth of nested quotes and lists. The decision therefore depends on the number of such characters and the length of the text.
 */
export function isCheap(text: string): boolean {
  if (text.length > maxLength) return false
  const count = total(text, readingCost)
  if (count > maxSigns || count * text.length > maxSteps || deepNesting.test(text)) return false
  return !fence.test(text) || (text.length <= maxCodeLength && !markdownFence.test(text))
}
