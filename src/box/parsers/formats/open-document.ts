import { OpenOutline } from "../open-document/open-outline.ts"
import { openDocumentPackage } from "../open-document/open-package.ts"
import { PageStyleOutline } from "../open-document/page-style-outline.ts"
import type { Parser } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"

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
