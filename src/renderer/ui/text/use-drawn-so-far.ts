import { useEffect, useMemo, useState } from "react"
import { takeTurn } from "./drawing-turns.ts"

/** The amount rendered immediately, and then in each step, in characters of plain text. */
const atFirst = 20_000
const perTurn = 5000
/** Less of a long text is rendered immediately, because the page has enough to do when it opens. */
const long = 50_000
const atFirstOfLong = 5000

/** The beginning of long content. */
interface Beginning<Piece> {
  pieces: Piece[]
  /** The cost of rendering the pieces. */
  cost: number
  /** Whether all pieces are included. */
  complete: boolean
}

/** Returns the first pieces up to a total cost. */
export function beginningOf<Piece>(
  all: readonly Piece[],
  costOf: (piece: Piece) => number,
  mostCost: number,
): Beginning<Piece> {
  let cost = 0
  let count = 0
  for (const piece of all) {
    if (cost >= mostCost) break
    cost += costOf(piece)
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
  piecesUpTo: (cost: number) => Beginning<Piece>,
): Piece[] {
  const [mostCost, setMostCost] = useState(length > long ? atFirstOfLong : atFirst)
  const { pieces, cost, complete } = useMemo(() => piecesUpTo(mostCost), [piecesUpTo, mostCost])
  useEffect(() => (complete ? undefined : takeTurn(() => setMostCost(cost + perTurn))), [complete, cost])
  return pieces
}
