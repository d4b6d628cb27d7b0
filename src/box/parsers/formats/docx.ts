import { reason } from "../../../shared/contract/file-reasons.ts"
import { isCompoundFile } from "../compound/compound-archive.ts"
import { readChunks } from "../document/document-file.ts"
import { WordOutline, WordStyles } from "../docx/word-outline.ts"
import { OfficePackage, mainPart, getRelationships } from "../office/office-package.ts"
import { ChartOutline, DrawingOutline } from "../ooxml/drawing-outline.ts"
import { failure, type Parser } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { xmlSteps, type XmlHandler } from "../xml/xml-events.ts"

/** Parts that are read after the body, with the title under which they are cited. */
const furtherParts: Record<string, string> = {
  footnotes: "Footnotes",
  endnotes: "Endnotes",
  comments: "Comments",
  header: "Page header",
  footer: "Page footer",
}

/** Word documents: headings, paragraphs, tables and text boxes, then notes, comments, charts and diagrams. */
export const docx: Parser = {
  async *parse(input, context) {
    if (await isCompoundFile(input.file)) {
      const { compoundFile } = await import("./compound-file.ts")
      return yield* compoundFile.parse(input, context)
    }
    const file = await OfficePackage.open(input.file, context)
    const main = await mainPart(file, "word/document.xml")
    if (!file.has(main)) throw failure("not_word_document")
    const related = await getRelationships(file, main)
    const styles = new WordStyles()
    for (const { type, target } of related) if (type === "styles") await file.read(target, styles)

    const outline = new FlowOutline()
    for await (const _ of file.steps(main, new WordOutline(outline, styles))) yield* outline.take()
    const seen = new Set<string>()
    for (const { type, target } of related) {
      const title = furtherParts[type]
      if (title) {
        outline.section(title)
        for await (const _ of file.steps(target, new WordOutline(outline, styles)))
          for (const block of outline.take()) {
            // Every section of a document has its own headers and footers, which are usually alike.
            if (seen.has(block.text) || (title.startsWith("Page") && /^\d+$/.test(block.text))) continue
            if (seen.size < 10_000) seen.add(block.text)
            yield block
          }
      } else if (type === "chart" || type === "diagramData") {
        outline.section(type === "chart" ? "Chart" : "Diagram")
        await file.read(target, type === "chart" ? new ChartOutline(outline) : new DrawingOutline(outline))
        yield* outline.take()
      }
    }
  },
}

/** Word documents as a single XML file, a format of Word 2003 that later versions can still write; often named `.doc`. */
export const wordXml: Parser = {
  async *parse({ file }, context) {
    const read = (handler: XmlHandler) => xmlSteps(readChunks(file), handler)
    const styles = new WordStyles()
    for await (const _ of read(styles)); // The styles may come after the text.
    const outline = new FlowOutline()
    const steps = read(new WordOutline(outline, styles))
    for (let step = await steps.next(); ; step = await steps.next()) {
      yield* outline.take()
      if (!step.done) continue
      if (step.value) context.note(reason("xml_damaged"))
      return
    }
  },
}
