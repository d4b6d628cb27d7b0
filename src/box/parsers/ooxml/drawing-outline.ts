import type { FlowOutline } from "../text/flow-outline.ts"
import { attribute } from "../xml/xml-events.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

const titles = new Set(["title", "ctrTitle"])
/** Placeholders without content from the document. */
const unreadPlaceholders = new Set(["sldNum", "sldImg"])

/** Reads text in DrawingML (ECMA-376 part 1, 21.1): shapes of slides and sheets, their tables, diagrams and comments. */
export class DrawingOutline implements XmlHandler {
  readonly #outline: FlowOutline
  #placeholder = ""
  #title = ""
  #text = ""
  #inText = false
  #fallback = 0

  constructor(outline: FlowOutline) {
    this.#outline = outline
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "Fallback") this.#fallback++
    else if (name === "sp") this.#placeholder = ""
    else if (name === "ph") this.#placeholder = attribute(attributes, "type") ?? ""
    else if (name === "p") this.#text = ""
    else if (name === "t" || name === "text") this.#inText = true
    else if (name === "br") this.#text += "\n"
    else if (name === "tbl") this.#outline.startTable()
    else if (name === "tr") this.#outline.startRow()
    else if (name === "tc") this.#outline.startCell()
  }

  text(text: string): void {
    if (this.#inText && this.#fallback === 0) this.#text += text
  }

  close(name: string): void {
    if (name === "Fallback") this.#fallback--
    else if (name === "t") this.#inText = false
    else if (name === "text") {
      this.#inText = false
      this.#endParagraph()
    } else if (name === "p") this.#endParagraph()
    else if (name === "sp") this.#endShape()
    else if (name === "tr") this.#outline.endRow()
    else if (name === "tbl") this.#outline.endTable()
  }

  #endParagraph(): void {
    const text = this.#text
    this.#text = ""
    if (titles.has(this.#placeholder)) this.#title += `${text}\n`
    else if (!unreadPlaceholders.has(this.#placeholder)) this.#outline.paragraph(text)
  }

  #endShape(): void {
    this.#outline.heading(1, this.#title)
    this.#title = ""
    this.#placeholder = ""
  }
}
