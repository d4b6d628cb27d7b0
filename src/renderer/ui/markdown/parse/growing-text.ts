import { maxBlockLength } from "./bounds.ts"
import { cutPiece } from "./cut-piece.ts"
import { drawingCost } from "./parsing-cost.ts"
import { definesReferences } from "./block-lines.ts"

/** A part of a text that is read and rendered as a unit. */
export interface Piece {
  text: string
  /** Its start in the whole text. */
  offset: number
  /** Maximum cost of rendering it. */
  cost: number
  /** Number of characters at its start that repeat an earlier piece: the header of the table that it continues. */
  repeats: number
}

/** The beginning of a text, in pieces. */
export interface CutText {
  pieces: Piece[]
  cost: number
  /** Whether the whole text is included. */
  complete: boolean
}

/**
 * Cuts a text into pieces that are read and rendered one by one, as far as requested. A growing text is cut again only from its last pieces
 * on; earlier pieces stay the same objects.
 */
export class GrowingText {
  #text = ""
  #settled: Piece[] = []
  #settledCost = 0
  /** Start of the first piece that isn't settled, and the header to put before it. */
  #next = 0
  #heading = ""

  /** Returns the first pieces up to a total cost. */
  pieces(text: string, maxCost = Infinity): CutText {
    if (text !== this.#text && !text.startsWith(this.#text)) this.#reset()
    this.#text = text
    // A text short enough to be read in one piece stays whole, because any paragraph may refer to a definition.
    if (text.length <= maxBlockLength && definesReferences(text)) {
      const cost = drawingCost(text)
      return { pieces: [{ text, offset: 0, cost, repeats: 0 }], cost, complete: true }
    }
    return this.#cut(maxCost)
  }

  #reset(): void {
    this.#settled = []
    this.#settledCost = 0
    this.#next = 0
    this.#heading = ""
  }

  #cut(maxCost: number): CutText {
    const open: Piece[] = []
    let cost = this.#settledCost
    let at = this.#next
    let heading = this.#heading
    while (at < this.#text.length && cost < maxCost) {
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
