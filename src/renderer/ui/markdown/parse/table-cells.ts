/** Returns the cells of a table line as written. */
export const getCells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

export interface Column {
  /** Width in em. */
  width: number
  /** Whether it contains sentences and uses the remaining width. */
  grows: boolean
}

/** Widths in characters. Longer words wrap. */
const narrowest = 4
const maxWordLength = 20
/** Sums are longer than the numbers they add. */
const numberLength = 12
const sentenceLength = 22
const perCharacter = 0.62
/** Padding around a cell's text, in em. */
const around = 1.7
const citation = /\[\d{1,4}\]/g
const markup = /[*_`\\]/g

/** Returns the column widths of a table, based on its first lines only, so that later lines don't change them. */
export function findColumns(beginning: string): Column[] {
  const [head = "", delimiters = "", ...lines] = beginning.trimEnd().split("\n")
  const rows = lines.map(getCells)
  const isRight = getCells(delimiters).map((delimiter) => /^-+:$/.test(delimiter))
  const toWidth = (characters: number) => Math.round(10 * (characters * perCharacter + around)) / 10
  return getCells(head).map((name, column) => {
    const texts = rows.map((cells) => (cells[column] ?? "").replace(citation, "[1]").replace(markup, ""))
    const usual = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length)
    const longest = [`${name} `, ...texts.flatMap((text) => text.split(/\s+/))].map(({ length }) => length)
    const grows = usual > sentenceLength
    const word = Math.min(Math.max(isRight[column] ? numberLength : narrowest, ...longest), maxWordLength)
    return { width: toWidth(grows ? sentenceLength : Math.max(word, usual + 1)), grows }
  })
}
