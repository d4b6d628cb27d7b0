import { mostNodesTogether } from "./parse/bounds.ts"

/** What the pieces of one text have taken together. */
export class TextBudget {
  overruns = 0
  tookMs = 0
  #nodes = 0
  readonly #ofPiece = new Map<number, number>()

  /** Whether a piece with so many elements may be drawn beside those that are. */
  admits(offset: number, nodes: number): boolean {
    const before = this.#ofPiece.get(offset) ?? 0
    if (this.#nodes - before + nodes > mostNodesTogether) return false
    this.#ofPiece.set(offset, nodes)
    this.#nodes += nodes - before
    return true
  }
}
