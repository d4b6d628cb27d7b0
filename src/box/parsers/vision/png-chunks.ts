interface Chunk {
  name: string
  data: Buffer
  /** The chunk including its length, name and checksum. */
  whole: Buffer
}

const signatureLength = 8
/** Chunks needed to draw an image (PNG, third edition, 11). */
const drawn: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])

/** Yields the chunks of a PNG, up to any damage. */
export function* pngChunks(png: Buffer): Generator<Chunk> {
  let end
  for (let at = signatureLength; at + 12 <= png.length; at = end) {
    const data = at + 8
    end = data + png.readUInt32BE(at) + 4
    const name = png.toString("latin1", at + 4, data)
    yield { name, data: png.subarray(data, end - 4), whole: png.subarray(at, end) }
  }
}

/** Returns the PNG with only the chunks that are drawn, because decoders decompress colour profiles and texts of any size. */
export const drawnChunks = (png: Buffer): Buffer =>
  Buffer.concat([
    png.subarray(0, signatureLength),
    ...[...pngChunks(png)].flatMap(({ name, whole }) => (drawn.has(name) ? whole : [])),
  ])
