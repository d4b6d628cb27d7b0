const marks = /[\u0300-\u036F]/g

const spellings: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" }

/** Returns a word in lower case with German letters spelled out: `muenchen` for `München`. */
export const spellOut = (word: string): string =>
  word
    .normalize("NFC")
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => spellings[letter] ?? letter)

/** Returns a word without case and accents. */
export const foldWord = (word: string): string =>
  word.normalize("NFKD").replace(marks, "").toLowerCase().normalize("NFC")
