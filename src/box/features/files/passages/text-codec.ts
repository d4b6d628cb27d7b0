import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"
import { z } from "zod"
import { AppError } from "../../../../shared/contract/errors.ts"
import { FileBlock } from "../../../../shared/contract/files.ts"
import { PageArea } from "../../../../shared/contract/page-area.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Block } from "../../../parsers/parser.ts"

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
