import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"
import { sql } from "kysely"
import { z } from "zod"
import { AppError } from "../../../../shared/contract/errors.ts"
import { FileBlock } from "../../../../shared/contract/files.ts"
import { PageArea } from "../../../../shared/contract/location.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { Block } from "../../../parsers/parser.ts"
import { firstPicture } from "../ingestion/job.ts"

const rowsPerStatement = 200

/** Yields rows or IDs in groups of as many as one statement accepts. */
export function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += rowsPerStatement)
    yield items.slice(from, from + rowsPerStatement)
}

const StoredBlock = FileBlock.extend({ area: PageArea.exactOptional() })
/** Maximum bytes of one piece before compression. `blocksPerPiece` and `charactersPerPiece` keep pieces far below this limit. */
const maxPieceBytes = 16 * 2 ** 20
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Blocks as they are stored in `fileTexts`. */
export const encodeBlocks = async (blocks: readonly Block[]): Promise<Buffer> =>
  compress(JSON.stringify(blocks))

/** Number of characters in blocks that aren't blank. */
export const countCharacters = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, { text }) => sum + (text.trim() === "" ? 0 : text.length), 0)

/** Blocks of one stored piece. Throws `conflict` for data that can't be a piece, as in an altered backup. */
export async function decodeBlocks(stored: Buffer): Promise<Block[]> {
  try {
    const bytes = await decompress(stored, { maxOutputLength: maxPieceBytes })
    const blocks = z.array(z.unknown()).parse(JSON.parse(bytes.toString()))
    // Parses blocks one at a time, so that the first invalid block stops the work however many follow.
    return blocks.map((block) => StoredBlock.parse(block))
  } catch (cause) {
    throw new AppError("conflict", sentence("files.text_unreadable"), { cause })
  }
}

/** Text of scanned pages is stored after all other text of its document. Its position is this value plus the page number. */
export const lateText = 1_000_000_000

/** Text of pictures is stored after that of scanned pages. */
const firstPictureText = lateText + firstPicture

/** Pieces with negative positions are drafts of a new text, of which this is the first one's position. They aren't shown. */
export const firstDraftText = -1_000_000_000

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
          .where("position", ">=", 0)
          .groupBy("fileId")
          .execute()
        for (const { fileId, characters } of rows) sums.set(fileId, characters)
      }
      return sums
    },

    /**
     * The text of a file in reading order. The text of scanned pages appears where those pages are, and that of pictures at the end of
     * their page, slide or sheet, or of the document.
     *
     * @param draft set for the drafts of a new text, with the places of the scanned pages and pictures whose text it keeps
     */
    async *blocks(fileId: string, draft?: { keeps: ReadonlySet<number> }): AsyncGenerator<Block[]> {
      const nextLate = async (after: number) => {
        for (let from = after; ;) {
          const found = await textAfter(fileId, from)
          if (!found || !draft || draft.keeps.has(found.position - lateText)) return found
          from = found.position
        }
      }
      const pictures: Block[] = []
      for (let found = await nextLate(firstPictureText - 1); found; found = await nextLate(found.position))
        pictures.push(...found.blocks)
      const text = readText(fileId, nextLate, draft !== undefined)
      yield* pictures.length === 0 ? text : insertPictures(text, pictures)
    },
  }

  async function* readText(
    fileId: string,
    nextLate: (after: number) => ReturnType<typeof textAfter>,
    isDraft: boolean,
  ): AsyncGenerator<Block[]> {
    const nextPage = async (after: number) => {
      const found = await nextLate(after)
      return found && found.position < firstPictureText ? found : undefined
    }
    const [first, end] = isDraft ? [firstDraftText, 0] : [0, lateText]
    let late = await nextPage(lateText)
    for (let piece = await textAfter(fileId, first - 1); piece && piece.position < end;) {
      let from = 0
      for (const [index, { location }] of piece.blocks.entries()) {
        while (late && late.position - lateText < (location.page ?? 0)) {
          if (index > from) yield piece.blocks.slice(from, index)
          from = index
          yield late.blocks
          late = await nextPage(late.position)
        }
      }
      yield piece.blocks.slice(from)
      piece = await textAfter(fileId, piece.position)
    }
    for (; late; late = await nextPage(late.position)) yield late.blocks
  }
}

/** The part of a document to which the text of a picture belongs. */
const describeUnit = ({ message, entry, page, slide, sheet }: Block["location"]): string =>
  JSON.stringify([message, entry, page, slide, sheet])

/** Yields a document's text with the text of its pictures after the part that shows them. */
async function* insertPictures(
  text: AsyncIterable<Block[]>,
  pictures: readonly Block[],
): AsyncGenerator<Block[]> {
  const waiting = Map.groupBy(pictures, ({ location }) => describeUnit(location))
  const take = (unit: string): Block[] => {
    const blocks = waiting.get(unit) ?? []
    waiting.delete(unit)
    return blocks
  }
  let unit: string | undefined
  for await (const blocks of text) {
    const ordered: Block[] = []
    for (const block of blocks) {
      const next = describeUnit(block.location)
      if (unit !== undefined && next !== unit) ordered.push(...take(unit))
      unit = next
      ordered.push(block)
    }
    yield ordered
  }
  const rest = [...(unit === undefined ? [] : take(unit)), ...[...waiting.values()].flat()]
  if (rest.length > 0) yield rest
}
