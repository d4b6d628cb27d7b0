import { longestBlock } from "./bounds.ts"
import { cutPiece } from "./cut-piece.ts"
import { drawingCost } from "./parsing-cost.ts"
import { definesReferences } from "./block-lines.ts"

/** A stretch of a text that is read and drawn as one. */
export interface Piece {
  text: string
  /** Where it begins in the whole text. */
  offset: number
  /** What drawing it costs at most. */
  cost: number
  /** Characters at its beginning that stand in a piece before: the heading of the table that it goes on with. */
  repeats: number
}

/** The beginning of a text, in pieces. */
export interface CutText {
  pieces: Piece[]
  cost: number
  /** There is no more of it. */
  complete: boolean
}

/**
 * Cuts a text into pieces that are read and drawn one by one, as far as they are asked for. A text that grows is cut again
 * from its last pieces on only, and the pieces before stay the same objects.
 */
export class GrowingText {
  #text = ""
  #settled: Piece[] = []
  #settledCost = 0
  /** Where the first piece begins that isn't settled, and what is put before it. */
  #next = 0
  #heading = ""

  /** The first pieces, until they cost what is given. */
  pieces(text: string, mostCost = Infinity): CutText {
    if (text !== this.#text && !text.startsWith(this.#text)) this.#startAnew()
    this.#text = text
    // While it is short enough to be read at once it stays whole: any paragraph may refer to a definition.
    if (text.length <= longestBlock && definesReferences(text)) {
      const cost = drawingCost(text)
      return { pieces: [{ text, offset: 0, cost, repeats: 0 }], cost, complete: true }
    }
    return this.#cut(mostCost)
  }

  #startAnew(): void {
    this.#settled = []
    this.#settledCost = 0
    this.#next = 0
    this.#heading = ""
  }

  #cut(mostCost: number): CutText {
    const open: Piece[] = []
    let cost = this.#settledCost
    let at = this.#next
    let heading = this.#heading
    while (at < this.#text.length && cost < mostCost) {
      const cut = cutPiece(this.#text, at, heading)
      const text = heading + this.#text.slice(at, cut.end)
      const piece = { text, offset: at, cost: drawingCost(text), repeats: heading.length }
      cost += piece.cost
      at = cut.next
      heading = cut.heading
      if (cut.settled && open.length === 0) {
        this.#settled.push(piece)
        this.#settledCost = cost
        this.#next = at
        this.#heading = heading
      } else open.push(piece)
    }
    return { pieces: [...this.#settled, ...open], cost, complete: at >= this.#text.length }
  }
}
