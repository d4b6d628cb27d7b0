import type { DbOf } from "../../../core/database/database.ts"
import type { Block } from "../../../parsers/parser.ts"
import { decodeBlocks } from "./text-codec.ts"

/** Text of scanned pages lies behind all other text of its document: its position is this and the page. */
export const lateText = 1_000_000_000

/** Extracted texts of files. */
export function createStoredTexts(db: DbOf<"files">) {
  async function textAfter(fileId: string, position: number) {
    const row = await db
      .selectFrom("fileTexts")
      .select(["position", "blocks"])
      .where("fileId", "=", fileId)
      .where("position", ">", position)
      .orderBy("position")
      .limit(1)
      .executeTakeFirst()
    return row && { position: row.position, blocks: await decodeBlocks(row.blocks) }
  }

  return {
    /** The text of a file in reading order: what scanned pages show stands where these pages are. */
    async *blocks(fileId: string): AsyncGenerator<Block[]> {
      let late = await textAfter(fileId, lateText)
      for (let piece = await textAfter(fileId, -1); piece && piece.position < lateText;) {
        let from = 0
        for (const [index, { location }] of piece.blocks.entries()) {
          while (late && late.position - lateText < (location.page ?? 0)) {
            if (index > from) yield piece.blocks.slice(from, index)
            from = index
            yield late.blocks
            late = await textAfter(fileId, late.position)
          }
        }
        yield piece.blocks.slice(from)
        piece = await textAfter(fileId, piece.position)
      }
      for (; late; late = await textAfter(fileId, late.position)) yield late.blocks
    },
  }
}
