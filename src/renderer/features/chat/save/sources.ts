import type { Source } from "../../../../shared/contract/chat.ts"
import { formatLocation } from "../../../lib/words/format.ts"

/** Separates a text from its citation numbers and returns both. */
export function splitCitations(
  text: string,
  isSource: (number: number) => boolean,
): { text: string; numbers: number[] } {
  const numbers: number[] = []
  const bare = text.replaceAll(/[ \t]?\[(\d{1,4})\]/g, (found, number: string) => {
    if (!isSource(Number(number))) return found
    numbers.push(Number(number))
    return ""
  })
  return { text: bare.trim(), numbers: [...new Set(numbers)] }
}

/** The document and location of a source, in words. */
export function getOrigin({ fileName, location }: Source): string {
  const locationLabel = formatLocation(location)
  return locationLabel === "" ? fileName : `${fileName}, ${locationLabel}`
}
