/** How much of a long word counts: its ending is another in another form of it. */
const stem = 6

/** A word of a text: where it stands, and what it is without differences of case, accents and, for long ones, endings. */
export interface Word {
  written: string
  folded: string
}

/** The words of a text in their order, by the rules of Unicode: also in scripts without spaces. */
export const wordsOf = (text: string): Word[] =>
  Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => ({ written: segment, folded: fold(segment).slice(0, stem) }))

/** Only what they are. */
export const foldedWords = (text: string): string[] => wordsOf(text).map(({ folded }) => folded)

const fold = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
