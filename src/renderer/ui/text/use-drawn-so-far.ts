import { useEffect, useMemo, useState } from "react"
import { takeTurn } from "./drawing-turns.ts"

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
