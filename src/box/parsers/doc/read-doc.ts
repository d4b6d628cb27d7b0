import type { CompoundArchive } from "../compound/compound-archive.ts"
import type { Block } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { DocOutline } from "./doc-outline.ts"
import { readWordFile } from "./word-file.ts"

/** Word 6 to 2003: headings, paragraphs and tables, then notes, headers, comments and text boxes. */
export function* readDoc(archive: CompoundArchive): Generator<Block, void, undefined> {
  const outline = new FlowOutline()
  for (const _ of new DocOutline(outline, readWordFile(archive)).steps()) yield* outline.take()
  yield* outline.take()
}
