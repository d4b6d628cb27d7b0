const written = /^\d+(?:[.,]\d+)*$/
const grouped = /^\d{1,3}(?:([.,])\d{3}(?:\1\d{3})*)(?:(?!\1)[.,]\d+)?$/

const spaced = /(?<![\d.,])\d{1,3}(?:[ \u00A0\u202F]\d{3})+(?![\d])/g

/** Numbers of a text whose digits are grouped by spaces, as `1500`. */
export const spacedNumbers = (text: string): string[] =>
  (text.match(spaced) ?? []).map((found) => found.replace(/\D/g, ""))

/**
 * A number as `1250.50`, however it groups its digits and whichever sign stands before its decimals; `1.000` counts as a
 * thousand. null: it is no single number, as a date or a version isn't.
 */
export function plainNumber(word: string): string | null {
  if (!written.test(word)) return null
  const group = grouped.exec(word)?.[1]
  const plain = (group === undefined ? word : word.replaceAll(group, "")).replace(",", ".")
  return /^\d+(?:\.\d+)?$/.test(plain) ? plain : null
}
