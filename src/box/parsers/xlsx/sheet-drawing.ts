import { getRelationships, type OfficePackage } from "../office/office-package.ts"
import { ChartOutline, DrawingOutline } from "../ooxml/drawing-outline.ts"
import type { Block, ParseContext } from "../parser.ts"
import type { SheetRows } from "../table/row-blocks.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { addHiddenMark } from "../text/hidden-text.ts"

/** Yields the text boxes, charts, diagrams and pictures of a sheet. */
export async function* drawingBlocks(
  file: OfficePackage,
  part: string,
  rows: Pick<SheetRows, "sheet" | "isHiddenSheet" | "getMark">,
  context: Pick<ParseContext, "pictures">,
): AsyncGenerator<Block, void, undefined> {
  const { sheet } = rows
  const outline = new FlowOutline({ sheet })
  const drawing = new DrawingOutline(outline)
  await file.read(part, drawing)
  const related = await getRelationships(file, part)
  for (const chart of related) {
    if (chart.type === "chart") await file.read(chart.target, new ChartOutline(outline))
    else if (chart.type === "diagramData") await file.read(chart.target, new DrawingOutline(outline))
  }
  yield* rows.isHiddenSheet ? outline.take().map(addHiddenMark) : outline.take()
  for (const { id, row = 0, column = 0 } of drawing.pictures) {
    const picture = related.find((relationship) => relationship.id === id)
    const mark = rows.getMark(row + 1, column)
    if (!picture || mark === undefined) continue
    const location = { sheet, row: row + 1, column: column + 1 }
    yield* file.picture({ part: picture.target, location, isHidden: mark !== "" }, context)
  }
}
