export const maxHandleLength = 120
/** Maximum number of characters that a number may replace at the end of a long name. */
export const digitsAdded = 10

/** Derives the @mention name from a display name. */
export function deriveHandle(name: string): string {
  const folded = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
  return folded === "" ? "assistant" : folded.slice(0, maxHandleLength)
}

/** Returns the first of `base`, `base2`, `base3` … that isn't taken. */
export function freeHandle(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base
  const numbered = (number: number) => `${base.slice(0, maxHandleLength - String(number).length)}${number}`
  let number = 2
  while (taken.has(numbered(number))) number++
  return numbered(number)
}
