/**
 * What a number means that is written with dots, commas, spaces or apostrophes: the last of two different signs stands
 * before the decimals; a sign that comes once, before three digits, is taken for one of thousands, unless it is a dot of who
 * writes dollars or pounds. Undefined for what is written in none of these ways.
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

/** A decimal number moved by so many places, without what multiplying would add to it. */
export const shifted = (decimal: string, places: number): number => Number(`${decimal}e${places}`)
