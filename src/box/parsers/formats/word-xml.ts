import { reason } from "../../../shared/contract/file-reasons.ts"
import { readChunks } from "../document/document-file.ts"
import { WordOutline, WordStyles } from "../docx/word-outline.ts"
import type { Parser } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { xmlSteps } from "../xml/xml-events.ts"
import type { XmlHandler } from "../xml/xml-events.ts"

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
