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
function* pngChunks(png: Buffer): Generator<Chunk> {
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

/** Yields the chunks of a WebP (RFC 9649, 2.3), up to any damage. */
function* webpChunks(webp: Buffer): Generator<{ name: string; data: Buffer }> {
  let end
  for (let at = 12; at + 8 <= webp.length; at = end + (end % 2)) {
    end = at + 8 + webp.readUInt32LE(at + 4)
    yield { name: webp.toString("latin1", at, at + 4), data: webp.subarray(at + 8, end) }
  }
}

/** Whether the file has all the bytes that its header declares. */
export const isWholeWebp = (webp: Buffer): boolean =>
  webp.length >= 12 && webp.readUInt32LE(4) + 8 <= webp.length

const orientationTag = 0x0112
/** Maximum fields that are checked. The tag is one of the first. */
const maxFields = 200

/** Returns the Exif orientation of a PNG or WebP, 1 to 8; undefined if it has none. */
export function exifOrientation(bytes: Buffer, type: string): number | undefined {
  const chunks = type === "png" ? pngChunks(bytes) : type === "webp" ? webpChunks(bytes) : []
  for (const { name, data } of chunks) if (name === "eXIf" || name === "EXIF") return orientationIn(data)
  return undefined
}

/** Returns the orientation in a TIFF's first directory (Exif 2.32, 4.6.4). Some programs write JPEG's header before it. */
function orientationIn(exif: Buffer): number | undefined {
  const tiff = exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif
  const isLittle = tiff.toString("latin1", 0, 2) === "II"
  const number = (at: number, length: 2 | 4): number => {
    if (at + length > tiff.length) return 0
    return isLittle ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length)
  }
  const directory = number(4, 4)
  const fields = Math.min(maxFields, number(directory, 2))
  for (let field = 0; field < fields; field++) {
    const at = directory + 2 + field * 12
    if (number(at, 2) === orientationTag) return number(at + 8, 2)
  }
  return undefined
}

/** Whether a GIF, PNG or WebP contains several frames. */
export function isAnimated(bytes: Buffer, type: string): boolean {
  if (type === "gif") return countGifFrames(bytes) > 1
  if (type === "png") return hasAnimationChunk(bytes)
  return type === "webp" && bytes.toString("latin1", 12, 16) === "VP8X" && ((bytes[20] ?? 0) & animated) !== 0
}

/** Flag in a WebP's extended header. */
const animated = 0b10
const imageSeparator = 0x2c
const extensionIntroducer = 0x21

/** Counts the frames of a GIF (89a, 12 to 27), up to two. Stops at any damage. */
function countGifFrames(bytes: Buffer): number {
  const getColourTableSize = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let at = 13 + getColourTableSize(bytes[10] ?? 0)
  let frames = 0
  while (at < bytes.length && frames < 2) {
    if (bytes[at] === imageSeparator) {
      frames++
      at += 11 + getColourTableSize(bytes[at + 9] ?? 0)
    } else if (bytes[at] === extensionIntroducer) at += 2
    else break
    while ((bytes[at] ?? 0) > 0) at += (bytes[at] ?? 0) + 1
    at++
  }
  return frames
}

/** Whether a PNG is animated, which it declares before its first pixels. */
function hasAnimationChunk(bytes: Buffer): boolean {
  for (const { name } of pngChunks(bytes)) {
    if (name === "acTL") return true
    if (name === "IDAT") return false
  }
  return false
}
