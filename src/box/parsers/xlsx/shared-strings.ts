import { failure } from "../parser.ts"
import type { XmlHandler } from "../xml/xml-events.ts"

const maxCharacters = 128 * 1024 * 1024

/** Reads the texts to which a workbook's cells refer by number (ECMA-376 part 1, 18.4), without phonetic guides. */
export class SharedStrings implements XmlHandler {
  readonly texts: string[] = []
  #text = ""
  #total = 0
  #inText = false
  #pronunciation = 0

  open(name: string): void {
    if (name === "si") this.#text = ""
    else if (name === "t") this.#inText = true
    else if (name === "rPh") this.#pronunciation++
  }

  text(text: string): void {
    if (this.#inText && this.#pronunciation === 0) this.#text += text
  }

  close(name: string): void {
    if (name === "t") this.#inText = false
    else if (name === "rPh") this.#pronunciation--
    else if (name === "si") {
      this.#total += this.#text.length
      if (this.#total > maxCharacters) {
        throw failure("workbook_too_much_text")
      }
      this.texts.push(this.#text)
    }
  }
}
