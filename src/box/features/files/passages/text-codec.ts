import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"
import { z } from "zod"
import { FileBlock } from "../../../../shared/contract/files.ts"
import { PageArea } from "../../../../shared/contract/page-area.ts"
import type { Block } from "../../../parsers/parser.ts"

const Blocks = z.array(FileBlock.extend({ area: PageArea.exactOptional() }))
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Blocks as they are stored in `fileTexts`. */
export const encodeBlocks = async (blocks: readonly Block[]): Promise<Buffer> =>
  compress(JSON.stringify(blocks))

/** Characters of blocks on which anything stands. */
export const charactersOf = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, { text }) => sum + (text.trim() === "" ? 0 : text.length), 0)

export const decodeBlocks = async (stored: Buffer): Promise<Block[]> =>
  Blocks.parse(JSON.parse((await decompress(stored)).toString()))
