/** The cells of a table's line, as they are written. */
export const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

export interface Column {
  /** In em. */
  width: number
  /** It holds sentences, and takes what others leave. */
  grows: boolean
}

/** Characters of a line. Longer words are broken. */
const narrowest = 4
const longestWord = 20
/** Sums are longer than what they are of. */
const ofNumbers = 12
const ofSentences = 22
const perCharacter = 0.62
/** What stands around a cell's text. */
const around = 1.7
const citation = /\[\d{1,4}\]/g
const markup = /[*_`\\]/g

/** How wide the columns of a table are, by the lines at its beginning: those that come later don't move them. */
export function columnsOf(beginning: string): Column[] {
  const [head = "", delimiters = "", ...lines] = beginning.trimEnd().split("\n")
  const rows = lines.map(cellsOf)
  const isRight = cellsOf(delimiters).map((delimiter) => /^-+:$/.test(delimiter))
  const ofWidth = (characters: number) => Math.round(10 * (characters * perCharacter + around)) / 10
  return cellsOf(head).map((name, column) => {
    const texts = rows.map((cells) => (cells[column] ?? "").replace(citation, "[1]").replace(markup, ""))
    const usual = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length)
    const longest = [`${name} `, ...texts.flatMap((text) => text.split(/\s+/))].map(({ length }) => length)
    const grows = usual > ofSentences
    const word = Math.min(Math.max(isRight[column] ? ofNumbers : narrowest, ...longest), longestWord)
    return { width: ofWidth(grows ? ofSentences : Math.max(word, usual + 1)), grows }
  })
}
