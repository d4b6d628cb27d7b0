import { maxNodesTogether } from "./parse/bounds.ts"

/** The total cost of a text's pieces. */
export class TextBudget {
  overruns = 0
  tookMs = 0
  #nodes = 0
  readonly #ofPiece = new Map<number, number>()

  /** Whether a piece with this many elements may be rendered in addition to the others. */
  admits(offset: number, nodes: number): boolean {
    const before = this.#ofPiece.get(offset) ?? 0
    if (this.#nodes - before + nodes > maxNodesTogether) return false
    this.#ofPiece.set(offset, nodes)
    this.#nodes += nodes - before
    return true
  }
}
