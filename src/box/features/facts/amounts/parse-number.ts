/**
 * Parses a number written with dots, commas, spaces or apostrophes. The last of two different separators precedes the decimals. A single
 * separator before three digits separates thousands, except a dot in texts that use decimal dots, as with dollars or pounds. Returns
 * undefined for any other format.
 */
export function parseNumber(text: string, writesDots: boolean): string | undefined {
  const plain = text.replaceAll(/[\s'’]/g, "")
  const dot = plain.lastIndexOf(".")
  const comma = plain.lastIndexOf(",")
  if (dot < 0 && comma < 0) return plain
  const sign = dot > comma ? "." : ","
  const last = Math.max(dot, comma)
  const isRepeated = plain.indexOf(sign) < last
  const hasBoth = dot >= 0 && comma >= 0
  const isThree = plain.length - last - 1 === 3
  if (isRepeated && (hasBoth || !isThree)) return undefined
  const isThousands = isRepeated || (!hasBoth && isThree && !(sign === "." && writesDots))
  if (isThousands) return plain.replaceAll(/[.,]/g, "")
  return `${plain.slice(0, last).replaceAll(/[.,]/g, "")}.${plain.slice(last + 1)}`
}

/** Shifts a decimal number by a number of places without the rounding error of multiplication. */
export const shifted = (decimal: string, places: number): number => Number(`${decimal}e${places}`)
