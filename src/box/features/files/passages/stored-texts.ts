import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import type { Block } from "../../../parsers/parser.ts"
import { slices } from "./slices.ts"
import { charactersOf, decodeBlocks } from "./text-codec.ts"

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

  /** Counts what was stored before lengths were, once. */
  async function countOlder(fileIds: readonly string[]): Promise<void> {
    const older = await db
      .selectFrom("fileTexts")
      .select(["fileId", "position"])
      .where("fileId", "in", fileIds)
      .where("characters", "is", null)
      .execute()
    for (const { fileId, position } of older) {
      const piece = await textAfter(fileId, position - 1)
      if (piece?.position !== position) continue // indexed anew meanwhile
      await db
        .updateTable("fileTexts")
        .set({ characters: charactersOf(piece.blocks) })
        .where("fileId", "=", fileId)
        .where("position", "=", position)
        .where("characters", "is", null)
        .execute()
    }
  }

  return {
    /** Characters of the stored texts of files, of those that have any; their texts aren't opened for it. */
    async characters(fileIds: readonly string[]): Promise<Map<string, number>> {
      const sums = new Map<string, number>()
      for (const some of slices(fileIds)) {
        await countOlder(some)
        const rows = await db
          .selectFrom("fileTexts")
          .select(["fileId", sql<number>`sum(characters)`.as("characters")])
          .where("fileId", "in", some)
          .groupBy("fileId")
          .execute()
        for (const { fileId, characters } of rows) sums.set(fileId, characters)
      }
      return sums
    },

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
