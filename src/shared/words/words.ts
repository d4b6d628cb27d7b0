/** Number of letters that are compared, because the endings of long words differ between their forms. */
const stem = 6

/** A word as written in a text, and folded: without differences in case, accents and, for long words, endings. */
export interface Word {
  written: string
  folded: string
}

/** Returns the words of a text in order, by Unicode's rules, which also work in scripts without spaces. */
export const getWords = (text: string): Word[] =>
  Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => ({ written: segment, folded: fold(segment).slice(0, stem) }))

/** Returns only the folded forms. */
export const foldedWords = (text: string): string[] => getWords(text).map(({ folded }) => folded)

const fold = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()

/** The separator between two cells in the text of a table row. Around an empty cell, two separators share a space. */
export const cellBorder = /(?:^| |(?<= ))\|(?: |$)/g

const fenceLine = /^[ \t]*(?:`{3,}|~{3,})[^\n]*$/gm
const tableRule = /^[ \t]*\|?[ \t:]*-[-:| \t]*$/gm
const tableRow = /^[ \t]*\|([^\n]*)\|[ \t]*$/gm
const lineStart = /^[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]+|[-*+][ \t]+)?/gm
const link = /!?\[([^\][]*)\]\([^()\s]*\)/g
const code = /`([^`\n]+)`/g
const emphasis = /(?<![\w*])(\*{1,3})(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])/g

/** Returns Markdown as plain text, without the markup of headings, lists, tables, links, code and emphasis. */
export const plainText = (markdown: string): string =>
  markdown
    .replaceAll(fenceLine, "")
    .replaceAll(tableRule, "")
    .replaceAll(tableRow, (_, cells: string) => cells.replaceAll("|", " "))
    .replaceAll(lineStart, "")
    .replaceAll(link, "$1")
    .replaceAll(code, "$1")
    .replaceAll(emphasis, "$2")

/** Accented letters by plain letter, for the scripts that search folds. */
let accented: Map<string, string> | undefined

/**
 * Returns the source of a regular expression (flags `iu`) that finds a text in any case and with or without accents, like the search index.
 */
export function wordPattern(word: string): string {
  accented ??= accentedLetters()
  let pattern = ""
  for (const letter of word.normalize("NFD").replace(marks, "").normalize("NFC").toLowerCase()) {
    const variants = accented.get(letter)
    pattern += variants === undefined ? letter.replace(special, "\\$&") : `[${letter}${variants}]`
    pattern += "[\\u0300-\\u036f]*"
  }
  return pattern
}

const special = /[\\^$.*+?()[\]{}|/]/
const marks = /[\u0300-\u036f]/g
const ranges = [
  [0xc0, 0x24f],
  [0x386, 0x3ce],
  [0x1e00, 0x1fff],
] as const

function accentedLetters(): Map<string, string> {
  const found = new Map<string, string>()
  for (const [first, last] of ranges) {
    for (let code = first; code <= last; code++) {
      const letter = String.fromCodePoint(code)
      const plain = letter.normalize("NFD").replace(marks, "").toLowerCase()
      if (plain.length === 1 && plain !== letter.toLowerCase()) {
        found.set(plain, (found.get(plain) ?? "") + letter)
      }
    }
  }
  return found
}
