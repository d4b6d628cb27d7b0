import type { Block } from "../../../../parsers/parser.ts"
import type { Document } from "../documents.ts"

/** Returns a document that the box has already read. */
export const testDocument = (id: string, blocks: Block[]): Document => ({
  file: {
    id,
    name: `${id}.md`,
    relativePath: `folder/${id}.md`,
    status: "completed",
    error: null,
    note: null,
    reasons: [],
    updatedAt: "2026-01-01T00:00:00.000Z",
  },
  blocks,
  skipped: [],
})

export const testBlock = (text: string, changes: Partial<Block> = {}): Block => ({
  kind: "paragraph",
  text,
  location: {},
  ...changes,
})
