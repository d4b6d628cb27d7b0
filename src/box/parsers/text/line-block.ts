import type { Location } from "../../../shared/contract/location.ts"
import { maxBlockCharacters } from "../parser.ts"
import type { Block } from "../parser.ts"
import type { Line } from "./read-lines.ts"

/** Lines gather here until they are a block; several short ones make one, none is ever longer than a block may be. */
const comfortableCharacters = 2000

/** Gathers lines into blocks located at their first line. */
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

  /** Whether this line should rather begin a block of its own, because together they would be too long. */
  overflows(line: Line): boolean {
    const together = this.#text.length + 1 + line.text.length
    return this.#text !== "" && together > (this.#continues ? maxBlockCharacters : comfortableCharacters)
  }

  add(line: Line): void {
    if (this.#text === "") this.#line = line.number
    this.#text += this.#text === "" || this.#continues ? line.text : `\n${line.text}`
    this.#continues = line.continues
  }

  /** What was gathered, and begins anew; undefined when it is only white space. */
  take(kind: Block["kind"], where: Location = {}): Block | undefined {
    const text = this.#text.trimEnd()
    const block = { kind, text, location: { line: this.#line, ...where } }
    this.#text = ""
    return text === "" ? undefined : block
  }
}
