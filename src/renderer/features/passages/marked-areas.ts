import type { FileBlock } from "../../../shared/contract/files.ts"
import type { PageArea } from "../../../shared/contract/page-area.ts"
import type { MarkedRange } from "./locate-passage.ts"

/** Where on which page (from 1) a passage stands, from the pieces of text that it covers. */
export function markedAreas(blocks: FileBlock[], ranges: MarkedRange[]): { page: number; area: PageArea }[] {
  const marked = new Set(ranges.map((range) => range.block))
  return [...marked].flatMap((index) => {
    const block = blocks[index]
    return block?.area ? [{ page: block.location.page ?? 1, area: block.area }] : []
  })
}
