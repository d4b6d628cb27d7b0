import { pngChunks } from "./png-chunks.ts"

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
