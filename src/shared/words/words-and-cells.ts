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
