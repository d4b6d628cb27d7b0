import { reason } from "../../../shared/contract/file-reasons.ts"
import type { Block, ParseContext } from "../parser.ts"

/** Precedes hidden text and hidden cells that a folder includes. */
export const hiddenMark = "(hidden) "

export const addHiddenMark = (block: Block): Block => ({ ...block, text: hiddenMark + block.text })

/** Enclose hidden text until its paragraph is complete. Unicode reserves them for use inside a program. */
const [start, end] = ["\uFDD0", "\uFDD1"]
const stretches = /\uFDD0[^\uFDD0\uFDD1]*\uFDD1/g
const marks = /[\uFDD0\uFDD1]/g
const isOneStretch = /^\s*\uFDD0([^\uFDD0\uFDD1]*)\uFDD1\s*$/

/** Whether text is empty apart from hidden text. */
export const isBlank = (text: string): boolean =>
  text.trim() === "" || (text.includes(start) && text.replaceAll(stretches, "").trim() === "")

/** Leaves out the hidden text of one document, or marks it, as the folder wants it, and counts the paragraphs that contain some. */
export class HiddenText {
  readonly isMarked: boolean
  #paragraphs = 0

  constructor({ marksHidden }: Pick<ParseContext, "marksHidden">) {
    this.isMarked = marksHidden
  }

  /** Returns what hidden text adds to its paragraph, before `show`. */
  enclose(text: string): string {
    if (text.trim() === "") return this.isMarked ? text : ""
    return `${start}${this.isMarked ? text : ""}${end}`
  }

  /** Counts a part that is left out without being read. */
  count(): void {
    this.#paragraphs++
  }

  /** Returns the text of a complete paragraph: `(hidden) text` if all of it is hidden, otherwise `text (hidden: text) text`. */
  show(text: string): string {
    if (!text.includes(start)) return text
    this.#paragraphs++
    if (!this.isMarked) return text.replaceAll(marks, "")
    const joined = text.replaceAll(/\uFDD1(\s*)\uFDD0/g, "$1")
    const whole = isOneStretch.exec(joined)?.[1]
    const shown = whole === undefined ? joined.replaceAll(stretches, describe) : hiddenMark + whole.trim()
    // A document may contain these characters itself.
    return shown.replaceAll(marks, "")
  }

  /** Adds a note if there is hidden text. Call at the end of the document. */
  note(context: Pick<ParseContext, "note">): void {
    if (this.#paragraphs === 0) return
    const code = this.isMarked ? "hidden_parts_marked" : "hidden_texts_left_out"
    context.note(reason(code, { count: this.#paragraphs }))
  }
}

/** Keeps the spaces around the hidden words. */
function describe(stretch: string): string {
  const text = stretch.slice(1, -1)
  const words = text.trim()
  if (words === "") return text
  const at = text.indexOf(words)
  return `${text.slice(0, at)}(hidden: ${words})${text.slice(at + words.length)}`
}
