import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import type { Block } from "../../../parsers/parser.ts"
import { slices } from "./slices.ts"
import { countCharacters, decodeBlocks } from "./text-codec.ts"

/** Text of scanned pages is stored after all other text of its document. Its position is this value plus the page number. */
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

  /** Counts the characters of texts that were stored without a count. Each text is counted only once. */
  async function countOlder(fileIds: readonly string[]): Promise<void> {
    const older = await db
      .selectFrom("fileTexts")
      .select(["fileId", "position"])
      .where("fileId", "in", fileIds)
      .where("characters", "is", null)
      .execute()
    for (const { fileId, position } of older) {
      const piece = await textAfter(fileId, position - 1)
      if (piece?.position !== position) continue // indexed again in the meantime
      await db
        .updateTable("fileTexts")
        .set({ characters: countCharacters(piece.blocks) })
        .where("fileId", "=", fileId)
        .where("position", "=", position)
        .where("characters", "is", null)
        .execute()
    }
  }

  return {
    /** Number of characters in the stored texts of files, without reading the texts. Files without text are left out. */
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

    /** The text of a file in reading order. The text of scanned pages appears where those pages are. */
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
