import { useCallback } from "react"
import { isUnbroken } from "./unbroken-text.ts"
import { useDrawnSoFar } from "./use-drawn-so-far.ts"

const maxPieceLength = 4000
/** Maximum length of a piece of an endless word, because combining marks and joined letters take quadratic time. */
const maxPieceOfWordLength = 1000
/** Cost per character for the slowest text: emoji and endless words take twice as long as sentences. */
const perCharacter = 2

/**
 * Plain text of any length. A browser is slow with a single text of a million characters, so it is rendered in pieces, cut between lines if
 * possible. For elements that keep line breaks.
 */
export function LongText({ text }: { text: string }) {
  const unbroken = isUnbroken(text)
  const longest = unbroken ? maxPieceOfWordLength : maxPieceLength
  const shown = text.length <= longest ? text : <Pieces text={text} longest={longest} />
  return unbroken ? <span className="no-contextual">{shown}</span> : shown
}

function Pieces({ text, longest }: { text: string; longest: number }) {
  const pieces = useDrawnSoFar(
    text.length,
    useCallback((cost: number) => cutText(text, longest, cost), [text, longest]),
  )
  return pieces.map(({ start, text: piece }) => (
    <span key={start} className="block">
      {piece}
    </span>
  ))
}

function cutText(text: string, longest: number, maxCost: number) {
  const pieces: { start: number; text: string }[] = []
  let start = 0
  while (start < text.length && perCharacter * start < maxCost) {
    const end = text.length - start <= longest ? text.length : cutBefore(text, start, longest)
    pieces.push({ start, text: text.slice(start, end) })
    start = end
  }
  return { pieces, cost: perCharacter * start, complete: start === text.length }
}

function cutBefore(text: string, start: number, longest: number): number {
  const end = start + longest
  const line = text.lastIndexOf("\n", end - 1)
  if (line >= start + longest / 2) return line + 1
  return (text.charCodeAt(end - 1) & 0xfc_00) === 0xd8_00 ? end - 1 : end
}
