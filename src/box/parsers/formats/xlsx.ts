import { isCompoundFile } from "../compound/is-compound-file.ts"
import { OfficePackage } from "../office/office-package.ts"
import { ChartOutline } from "../ooxml/chart-outline.ts"
import { DrawingOutline } from "../ooxml/drawing-outline.ts"
import { mainPart, relationshipsOf } from "../ooxml/relationships.ts"
import { failure } from "../parser.ts"
import type { Block, Parser } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { attribute } from "../xml/xml-events.ts"
import { CellComments } from "../xlsx/cell-comments.ts"
import { NumberFormats } from "../xlsx/number-formats.ts"
import { SharedStrings } from "../xlsx/shared-strings.ts"
import { SheetReader } from "../xlsx/sheet-reader.ts"

/** Excel workbooks, sheet by sheet: rows as Excel shows them, then comments, text boxes and charts. */
export const xlsx: Parser = {
  async *parse(input, context) {
    if (await isCompoundFile(input.file)) {
      const { compoundFile } = await import("./compound-file.ts")
      return yield* compoundFile.parse(input, context)
    }
    const file = await OfficePackage.open(input.file, context)
    const main = await mainPart(file, "xl/workbook.xml")
    if (!file.has(main)) throw failure("not_workbook")
    const formats = new NumberFormats()
    const strings = new SharedStrings()
    const sheets = await readWorkbook(file, main, formats)
    const related = await relationshipsOf(file, main)
    for (const { type, target } of related) {
      if (type === "styles") await file.read(target, formats)
      else if (type === "sharedStrings") await file.read(target, strings)
    }
    for (const { name, id } of sheets) {
      const part = related.find((relationship) => relationship.id === id)?.target
      if (part === undefined) continue
      const reader = new SheetReader(name, strings.texts, formats)
      for await (const _ of file.steps(part, reader)) yield* reader.take()
      yield* attachments(file, part, name)
    }
  },
}

async function readWorkbook(
  file: OfficePackage,
  main: string,
  formats: NumberFormats,
): Promise<{ name: string; id: string | undefined }[]> {
  const sheets: { name: string; id: string | undefined }[] = []
  await file.read(main, {
    open(name, attributes) {
      if (name === "sheet") sheets.push({ name: attributes["name"] ?? "", id: attribute(attributes, "id") })
      else if (name === "workbookPr") formats.date1904 = /^(1|true)$/.test(attributes["date1904"] ?? "")
    },
  })
  return sheets
}

/** What a sheet holds besides its cells. */
async function* attachments(
  file: OfficePackage,
  part: string,
  sheet: string,
): AsyncGenerator<Block, void, undefined> {
  for (const { type, target } of await relationshipsOf(file, part)) {
    if (type === "comments" || type === "threadedComment") {
      const comments = new CellComments(sheet)
      await file.read(target, comments)
      yield* comments.blocks
    } else if (type === "drawing") {
      const outline = new FlowOutline({ sheet })
      await file.read(target, new DrawingOutline(outline))
      for (const chart of await relationshipsOf(file, target)) {
        if (chart.type === "chart") await file.read(chart.target, new ChartOutline(outline))
        else if (chart.type === "diagramData") await file.read(chart.target, new DrawingOutline(outline))
      }
      yield* outline.take()
    }
  }
}
