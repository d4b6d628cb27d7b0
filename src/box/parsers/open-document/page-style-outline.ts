import { OpenOutline } from "./open-outline.ts"
import type { FlowOutline } from "../text/flow-outline.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

const titles: Record<string, string> = { header: "Page header", footer: "Page footer" }

/** Reads headers and footers, which OpenDocument stores with the page styles (ODF 1.3 part 3, 16.9). */
export class PageStyleOutline implements XmlHandler {
  readonly #outline: FlowOutline
  readonly #inner: OpenOutline
  #inside = 0

  constructor(outline: FlowOutline) {
    this.#outline = outline
    this.#inner = new OpenOutline(outline)
  }

  open(name: string, attributes: XmlAttributes): void {
    const title = titles[name.replace(/-(left|first)$/, "")]
    if (title) {
      this.#inside++
      this.#outline.section(title)
    } else if (this.#inside > 0) this.#inner.open(name, attributes)
  }

  text(text: string): void {
    if (this.#inside > 0) this.#inner.text(text)
  }

  close(name: string): void {
    if (titles[name.replace(/-(left|first)$/, "")]) this.#inside--
    else if (this.#inside > 0) this.#inner.close(name)
  }
}
