import type { CompoundArchive } from "../compound/compound-archive.ts"
import type { Block } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { DocOutline } from "./doc-outline.ts"
import { readWordFile } from "./word-file.ts"

/**
 * Reads Word 6 to 2003: headings, paragraphs and tables, then notes, headers, comments and text boxes.
 *
 * Written here because word-extractor 1.0.4 (MIT) refuses Word 6 and 95 and returns plain text without headings and table rows; mammoth
 * 1.13.0 and officeparser 8.1.1 don't read .doc.
 */
export function* readDoc(archive: CompoundArchive, password?: string): Generator<Block, void, undefined> {
  const outline = new FlowOutline()
  for (const _ of new DocOutline(outline, readWordFile(archive, password)).steps()) yield* outline.take()
  yield* outline.take()
}
