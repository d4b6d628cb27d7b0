import type { FileBlock } from "../../../shared/contract/files.ts"
import type { PageArea } from "../../../shared/contract/location.ts"
import { getPassageMark, type Mark } from "./document-rows.ts"
import type { MarkedRange } from "./locate-passage.ts"

export interface MarkedArea {
  /** From 1. */
  page: number
  area: PageArea
  mark: Mark
}

/** Returns the areas and pages of a passage, from the pieces of text that it covers. */
export function markedAreas(blocks: FileBlock[], ranges: MarkedRange[]): MarkedArea[] {
  const marks = new Map<number, Mark>()
  const around = getPassageMark(ranges)
  for (const { block, quoted } of ranges)
    if (marks.get(block) !== "strong") marks.set(block, quoted ? "strong" : around)
  return [...marks].flatMap(([index, mark]) => {
    const block = blocks[index]
    return block?.area ? [{ page: block.location.page ?? 1, area: block.area, mark }] : []
  })
}
