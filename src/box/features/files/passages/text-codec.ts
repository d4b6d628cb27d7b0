import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"
import type { Block } from "../../../parsers/parser.ts"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Blocks as they are stored in `fileTexts`. */
export const encodeBlocks = async (blocks: readonly Block[]): Promise<Buffer> =>
  compress(JSON.stringify(blocks))

export const decodeBlocks = async (stored: Buffer): Promise<Block[]> =>
  JSON.parse((await decompress(stored)).toString()) as Block[]
