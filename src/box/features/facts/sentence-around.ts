import type { Block } from "../../parsers/parser.ts"

/** Number of characters that are examined on each side. */
const maxContextLength = 240

/** Returns the sentence that contains a range of a block, its row, or as much as may be shown, with single spaces. */
export function sentenceAround(
  { kind, text }: Pick<Block, "kind" | "text">,
  start: number,
  end: number,
): string {
  const isRow = kind === "table-row" || kind === "table-header"
  const first = Math.max(0, start - maxContextLength)
  const last = Math.min(text.length, end + maxContextLength)
  const from = isRow ? first : (endsBetween(text, first, start).at(-1) ?? first)
  const to = isRow ? last : (endsBetween(text, end, last)[0] ?? last)
  return whole(text.slice(from, to)).replaceAll(/\s+/g, " ").trim()
}

const mayEnd = /[.!?;]["”»)]?\s+|\n[^\S\n]{0,20}\n|\n(?=[-•*] )/g

/** A full stop after a short word or number is more likely part of "1. May", "art. 3" or "Mr. X". */
const isEnd = (found: string, before: string) =>
  !found.startsWith(".") || /(?:\p{L}{4}|\d{4}|[)"”»])$/u.test(before)

const endsBetween = (text: string, from: number, to: number): number[] =>
  [...text.slice(from, to).matchAll(mayEnd)]
    .map(({ 0: found, index }) => ({ found, at: from + index }))
    .filter(({ found, at }) => isEnd(found, text.slice(Math.max(0, at - 4), at)))
    .map(({ found, at }) => at + found.length)

/** Removes half of a surrogate pair at either end. */
const whole = (text: string) => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")
