import { openDocumentPackage } from "../office/office-package.ts"
import { OpenOutline } from "../open-document/open-outline.ts"
import type { Parser } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

const titles: Record<string, string> = { header: "Page header", footer: "Page footer" }

/** Reads headers and footers, which OpenDocument stores with the page styles (ODF 1.3 part 3, 16.9). */
class PageStyleOutline implements XmlHandler {
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

/** Reads OpenDocument texts and presentations: headings, paragraphs, tables, notes, charts, headers and footers. */
export const openDocument: Parser = {
  async *parse({ file: bytes }, context) {
    const file = await openDocumentPackage(bytes, context)
    const outline = new FlowOutline()
    const content = new OpenOutline(outline)
    for await (const _ of file.steps("content.xml", content)) yield* outline.take()
    outline.moveTo({})
    for (const folder of content.objects) {
      outline.section("Object")
      await file.read(`${folder}/content.xml`, new OpenOutline(outline))
      yield* outline.take()
    }
    await file.read("styles.xml", new PageStyleOutline(outline))
    yield* outline.take()
  },
}
