import { useEffect, useMemo, useState } from "react"
import { takeTurn } from "./drawing-turns.ts"

/** What is drawn at once, and then with each turn, in characters of plain text. */
const atFirst = 20_000
const perTurn = 5000
/** Of a long text less is drawn at once: the page has enough to do when it is opened. */
const long = 50_000
const atFirstOfLong = 5000

/** The beginning of something long. */
interface Beginning<Piece> {
  pieces: Piece[]
  /** What drawing them costs. */
  cost: number
  /** There is no more of it. */
  complete: boolean
}

/** The first pieces, until they cost what is given. */
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
 * The pieces of something of this length that may be drawn by now: those at its beginning at once, the rest turn by turn.
 * They are asked for up to a cost, and asked for again when the function that answers them changes.
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
