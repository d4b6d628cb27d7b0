const written = /^\d+(?:[.,]\d+)*$/
const grouped = /^\d{1,3}(?:([.,])\d{3}(?:\1\d{3})*)(?:(?!\1)[.,]\d+)?$/

const spaced = /(?<![\d.,])\d{1,3}(?:[ \u00A0\u202F]\d{3})+(?![\d])/g

/** Returns the numbers in a text whose digits are grouped by spaces, in the form `1500`. */
export const spacedNumbers = (text: string): string[] =>
  (text.match(spaced) ?? []).map((found) => found.replace(/\D/g, ""))

/**
 * Returns a number in the form `1250.50`, whatever its digit grouping and decimal sign; `1.000` is read as a thousand. Returns null for
 * anything that isn't a single number, such as a date or a version.
 */
export function plainNumber(word: string): string | null {
  if (!written.test(word)) return null
  const group = grouped.exec(word)?.[1]
  const plain = (group === undefined ? word : word.replaceAll(group, "")).replace(",", ".")
  return /^\d+(?:\.\d+)?$/.test(plain) ? plain : null
}
