import type { Location } from "../../../shared/contract/location.ts"
import { maxBlockCharacters } from "../parser.ts"
import type { Block } from "../parser.ts"
import type { Line } from "./read-lines.ts"

/** Length up to which short lines are combined into one block. A block never exceeds its maximum length. */
const comfortableCharacters = 2000

/** Collects lines into blocks located at their first line. */
export class LineBlock {
  #text = ""
  #line = 0
  #continues = false

  get isEmpty(): boolean {
    return this.#text === ""
  }

  get length(): number {
    return this.#text.length
  }

  /** Whether this line should start a new block, because the combined block would be too long. */
  overflows(line: Line): boolean {
    const together = this.#text.length + 1 + line.text.length
    return this.#text !== "" && together > (this.#continues ? maxBlockCharacters : comfortableCharacters)
  }

  add(line: Line): void {
    if (this.#text === "") this.#line = line.number
    this.#text += this.#text === "" || this.#continues ? line.text : `\n${line.text}`
    this.#continues = line.continues
  }

  /** Returns the collected block and starts a new one; undefined when it is only white space. */
  take(kind: Block["kind"], where: Location = {}): Block | undefined {
    const text = this.#text.trimEnd()
    const block = { kind, text, location: { line: this.#line, ...where } }
    this.#text = ""
    return text === "" ? undefined : block
  }
}
