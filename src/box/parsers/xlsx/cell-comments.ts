import type { Block } from "../parser.ts"
import { maxBlockCharacters } from "../parser.ts"
import { splitText } from "../text/split-text.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

/** Reads both of Excel's kinds of comments on the cells of one sheet. */
export class CellComments implements XmlHandler {
  readonly blocks: Block[] = []
  readonly #sheet: string
  #cell = ""
  #text = ""
  #inText = false

  constructor(sheet: string) {
    this.#sheet = sheet
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "comment" || name === "threadedComment") {
      this.#cell = attributes["ref"] ?? ""
      this.#text = ""
    } else if (name === "t" || name === "text") this.#inText = true
  }

  text(text: string): void {
    if (this.#inText) this.#text += text
  }

  close(name: string): void {
    if (name === "t" || name === "text") this.#inText = false
    else if (name === "comment" || name === "threadedComment") this.#endComment()
  }

  #endComment(): void {
    const text = this.#text.replace(/\s+/g, " ").trim()
    if (text === "") return
    const row = Number(/\d+$/.exec(this.#cell)?.[0] ?? 0)
    const location = { sheet: this.#sheet, ...(row > 0 ? { row } : {}) }
    for (const part of splitText(`Comment on ${this.#cell}: ${text}`, maxBlockCharacters)) {
      this.blocks.push({ kind: "paragraph", text: part, location })
    }
  }
}
