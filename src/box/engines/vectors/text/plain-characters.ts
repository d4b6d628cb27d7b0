const ascii = /^[\x20-\x7E\s]*$/
/** Soft hyphens, joiners, direction marks, the Arabic elongation character, and stress marks on Cyrillic letters. */
const meaningless = /[\u00AD\u0640\u200B-\u200F\u2060\u2066-\u2069\uFEFF]|(?<=\p{Script=Cyrillic})\u0301/gu
/** Vowel points, with which Hebrew and Arabic are rarely written. */
const points =
  /(?<=[\p{Script=Hebrew}\p{Script=Arabic}\p{M}])[\u0591-\u05C7\u0610-\u061A\u064B-\u065F\u0670]/gu
const nonAsciiDigit = /(?![0-9])\p{Nd}/gu
const sameLetter = /\u06A9|\u06CC|\u06C0|\u0901/g
/** Replaces Persian letters by Arabic ones, and the two Hindi signs for a nasal vowel by one. */
const sameLetters: Record<string, string> = { ک: "ك", ی: "ي", ۀ: "ه", "\u0901": "\u0902" }

/** Normalises a text for comparison in search: full-width characters, ligatures, digits of other scripts, joiners. */
export function plainCharacters(text: string): string {
  if (ascii.test(text)) return text
  return text
    .normalize("NFKC")
    .replace(meaningless, "")
    .replace(points, "")
    .replace(nonAsciiDigit, getDigit)
    .replace(sameLetter, (letter) => sameLetters[letter] ?? letter)
}

/** Digits of a script have consecutive codes; in Indian scripts they start at position 6 of their row of 16. */
function getDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  if (code > 0xffff) return digit
  return String((code & 15) - (code >= 0x966 && code <= 0xdef ? 6 : 0))
}
