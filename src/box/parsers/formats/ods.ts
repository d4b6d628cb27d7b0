import { SheetOutline, OpenOutline } from "../open-document/open-outline.ts"
import { openDocumentPackage } from "../office/office-package.ts"
import type { Parser } from "../parser.ts"
import { SheetRows } from "../table/row-blocks.ts"
import { FlowOutline } from "../text/flow-outline.ts"

/** Reads OpenDocument spreadsheets, sheet by sheet and row by row. */
export const ods: Parser = {
  async *parse({ file: bytes }, context) {
    const file = await openDocumentPackage(bytes, context)
    const sheets = new SheetOutline((text) => text)
    let rows = { sheet: "", of: new SheetRows("") }
    for await (const _ of file.steps("content.xml", sheets)) {
      // Repeated rows are read once, because the others add nothing.
      for (const { sheet, row, cells } of sheets.take()) {
        if (rows.sheet !== sheet) rows = { sheet, of: new SheetRows(sheet) }
        yield* rows.of.blocks(row, cells)
      }
    }
    for (const { folder, sheet } of sheets.objects) {
      const outline = new FlowOutline({ sheet })
      await file.read(`${folder}/content.xml`, new OpenOutline(outline))
      yield* outline.take()
    }
  },
}
