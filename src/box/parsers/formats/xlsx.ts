import { isCompoundFile } from "../compound/is-compound-file.ts"
import type { OfficePackage } from "../office/office-package.ts"
import { ChartOutline } from "../ooxml/chart-outline.ts"
import { DrawingOutline } from "../ooxml/drawing-outline.ts"
import { getRelationships } from "../ooxml/relationships.ts"
import type { Block, Parser } from "../parser.ts"
import { SheetRows } from "../table/sheet-rows.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { CellComments } from "../xlsx/cell-comments.ts"
import type { NumberFormats } from "../xlsx/number-formats.ts"
import { SheetReader, type CellReading } from "../xlsx/sheet-reader.ts"
import { openWorkbook } from "../xlsx/workbook.ts"

/** Reads Excel workbooks sheet by sheet: rows as Excel displays them, then comments, text boxes and charts. */
export const xlsx: Parser = {
  async *parse(input, context) {
    if (await isCompoundFile(input.file)) {
      const { compoundFile } = await import("./compound-file.ts")
      return yield* compoundFile.parse(input, context)
    }
    const { file, sheets, texts, formats } = await openWorkbook(input.file, context)
    for (const { name, part } of sheets) {
      const reader = new SheetReader(texts, createTextReading(formats))
      const rows = new SheetRows(name)
      for await (const _ of file.steps(part, reader))
        for (const { row, cells } of reader.take()) yield* rows.blocks(row, cells)
      yield* attachments(file, part, name)
    }
  },
}

/** Reads cells as Excel displays them. */
const createTextReading = (formats: NumberFormats): CellReading<string> => ({
  text: (text) => text,
  number: (value, style) => formats.show(value, style),
  boolean: (value) => (value ? "TRUE" : "FALSE"),
  date: (value) => value,
  error: (value) => value,
})

/** Yields the content of a sheet other than its cells. */
async function* attachments(
  file: OfficePackage,
  part: string,
  sheet: string,
): AsyncGenerator<Block, void, undefined> {
  for (const { type, target } of await getRelationships(file, part)) {
    if (type === "comments" || type === "threadedComment") {
      const comments = new CellComments(sheet)
      await file.read(target, comments)
      yield* comments.blocks
    } else if (type === "drawing") {
      const outline = new FlowOutline({ sheet })
      await file.read(target, new DrawingOutline(outline))
      for (const chart of await getRelationships(file, target)) {
        if (chart.type === "chart") await file.read(chart.target, new ChartOutline(outline))
        else if (chart.type === "diagramData") await file.read(chart.target, new DrawingOutline(outline))
      }
      yield* outline.take()
    }
  }
}
