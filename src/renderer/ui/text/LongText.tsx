import { useEffect, useMemo, useState, useCallback } from "react"
import { flushSync } from "react-dom"

const unbroken = /(?:^|\s)\S{200}/

/**
 * Whether a text has a word so long that the font's contextual forms and kerning must be switched off (`no-contextual`). For brackets,
 * hyphens and symbols between letters, they take quadratic time in the length of the word: seconds for thousands of characters.
 */
export const isUnbroken = (text: string): boolean => unbroken.test(text)

/** Maximum rendering time per frame; the rest waits for the next one. Painting takes additional time. */
const msPerFrame = 12

const waiting = new Set<() => void>()
let frame: number | undefined

/**
 * Schedules rendering work. Each frame renders as many parts of the page as there is time for, so that no task takes long. The returned
 * function withdraws the work.
 */
export function takeTurn(draw: () => void): () => void {
  waiting.add(draw)
  frame ??= requestAnimationFrame(drawWaiting)
  return () => waiting.delete(draw)
}

function drawWaiting(): void {
  const end = performance.now() + msPerFrame
  for (const draw of waiting) {
    waiting.delete(draw)
    flushSync(draw)
    // Layout is part of the cost.
    document.body.getBoundingClientRect()
    if (performance.now() >= end) break
  }
  frame = waiting.size > 0 ? requestAnimationFrame(drawWaiting) : undefined
}

/** The amount rendered immediately, and then in each step, in characters of plain text. */
const initialLength = 20_000
const perTurn = 5000
/** Less of a long text is rendered immediately, because the page has enough to do when it opens. */
const long = 50_000
const initialLengthOfLongText = 5000

/** The beginning of long content. */
interface FirstPieces<Piece> {
  pieces: Piece[]
  /** The cost of rendering the pieces. */
  cost: number
  /** Whether all pieces are included. */
  complete: boolean
}

/** Returns the first pieces up to a total cost. */
export function takeFirstPieces<Piece>(
  all: readonly Piece[],
  estimateCost: (piece: Piece) => number,
  maxCost: number,
): FirstPieces<Piece> {
  let cost = 0
  let count = 0
  for (const piece of all) {
    if (cost >= maxCost) break
    cost += estimateCost(piece)
    count++
  }
  return { pieces: all.slice(0, count), cost, complete: count === all.length }
}

/**
 * Returns the pieces of content of this length that may be rendered so far: the first ones immediately, the rest step by step. `piecesUpTo`
 * is called with a maximum cost, and again whenever the function changes.
 */
export function useDrawnSoFar<Piece>(
  length: number,
  piecesUpTo: (cost: number) => FirstPieces<Piece>,
): Piece[] {
  const [maxCost, setMaxCost] = useState(length > long ? initialLengthOfLongText : initialLength)
  const { pieces, cost, complete } = useMemo(() => piecesUpTo(maxCost), [piecesUpTo, maxCost])
  useEffect(() => (complete ? undefined : takeTurn(() => setMaxCost(cost + perTurn))), [complete, cost])
  return pieces
}

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
  const maxLength = unbroken ? maxPieceOfWordLength : maxPieceLength
  const shown = text.length <= maxLength ? text : <Pieces text={text} maxLength={maxLength} />
  return unbroken ? <span className="no-contextual">{shown}</span> : shown
}

function Pieces({ text, maxLength }: { text: string; maxLength: number }) {
  const pieces = useDrawnSoFar(
    text.length,
    useCallback((cost: number) => cutText(text, maxLength, cost), [text, maxLength]),
  )
  return pieces.map(({ start, text: piece }) => (
    <span key={start} className="block">
      {piece}
    </span>
  ))
}

function cutText(text: string, maxLength: number, maxCost: number) {
  const pieces: { start: number; text: string }[] = []
  let start = 0
  while (start < text.length && perCharacter * start < maxCost) {
    const end = text.length - start <= maxLength ? text.length : cutBefore(text, start, maxLength)
    pieces.push({ start, text: text.slice(start, end) })
    start = end
  }
  return { pieces, cost: perCharacter * start, complete: start === text.length }
}

function cutBefore(text: string, start: number, maxLength: number): number {
  const end = start + maxLength
  const line = text.lastIndexOf("\n", end - 1)
  if (line >= start + maxLength / 2) return line + 1
  return (text.charCodeAt(end - 1) & 0xfc_00) === 0xd8_00 ? end - 1 : end
}

/** Shorter names aren't cut. */
const short = 16
/** Number of characters at the end that stay visible. They distinguish files with similar names and show the file type. */
const tailLength = 12

/** A name that is cut in the middle if there isn't room, so that its beginning and end stay visible. */
export function MiddleCut({ text }: { text: string }) {
  const letters = Array.from(text)
  if (letters.length <= short) return text
  return (
    <>
      <span className="sr-only">{text}</span>
      <span aria-hidden className="flex min-w-0">
        <span className="truncate whitespace-pre">{letters.slice(0, -tailLength).join("")}</span>
        <span className="shrink-0 whitespace-pre">{letters.slice(-tailLength).join("")}</span>
      </span>
    </>
  )
}
