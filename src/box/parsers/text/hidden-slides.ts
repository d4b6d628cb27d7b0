import { reason } from "../../../shared/contract/file-reasons.ts"
import type { Block, ParseContext } from "../parser.ts"
import { addHiddenMark, hiddenMark } from "./hidden-text.ts"

const maxNamedSlides = 10

/** Leaves out the hidden slides of a presentation, or marks them, as the folder wants it. */
export class HiddenSlides {
  readonly isMarked: boolean
  /** Counted from 1. */
  readonly #slides = new Set<number>()

  constructor({ marksHidden }: Pick<ParseContext, "marksHidden">) {
    this.isMarked = marksHidden
  }

  /** @param slide counted from 1 */
  add(slide: number): void {
    this.#slides.add(slide)
  }

  has(slide: number): boolean {
    return this.#slides.has(slide)
  }

  /** Marks the blocks of hidden slides, except those whose text is marked already. */
  *mark(blocks: readonly Block[]): Generator<Block, void, undefined> {
    for (const block of blocks) {
      const isUnmarked = this.has(block.location.slide ?? 0) && !block.text.startsWith(hiddenMark)
      yield isUnmarked ? addHiddenMark(block) : block
    }
  }

  /** Adds a note if there are hidden slides. Call at the end of the presentation. */
  note(context: Pick<ParseContext, "note">): void {
    const count = this.#slides.size
    if (count === 0) return
    if (this.isMarked) return context.note(reason("hidden_parts_marked", { count }))
    const named = [...this.#slides].slice(0, maxNamedSlides)
    const slides = [...named, ...(count > maxNamedSlides ? ["…"] : [])].join(", ")
    context.note(reason("hidden_slides_left_out", { count, slides }))
  }
}
