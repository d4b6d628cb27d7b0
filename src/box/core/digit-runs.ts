/** Rows of the digits 0 to 9 in a text: where each starts and ends, one after the other. */
export type DigitRuns = readonly number[]

const digit = /\d/g

/** Returns where a text has digits. */
export function findDigitRuns(text: string): DigitRuns {
  const runs: number[] = []
  digit.lastIndex = 0
  while (digit.test(text)) {
    let end = digit.lastIndex
    runs.push(end - 1)
    while (isDigit(text.charCodeAt(end))) end++
    runs.push(end)
    digit.lastIndex = end
  }
  return runs
}

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
export const isAsciiLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
