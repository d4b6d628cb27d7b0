import { pngChunks } from "./png-chunks.ts"
import { webpChunks } from "./webp-chunks.ts"

const orientationTag = 0x0112
/** Fields that are looked at: the tag is one of the first. */
const mostFields = 200

/** How the Exif of a PNG or WebP says that it is to be shown, 1 to 8; undefined where it doesn't. */
export function exifOrientation(bytes: Buffer, type: string): number | undefined {
  const chunks = type === "png" ? pngChunks(bytes) : type === "webp" ? webpChunks(bytes) : []
  for (const { name, data } of chunks) if (name === "eXIf" || name === "EXIF") return orientationIn(data)
  return undefined
}

/** The orientation in a TIFF's first directory (Exif 2.32, 4.6.4); some programs write the head of JPEG's before it. */
function orientationIn(exif: Buffer): number | undefined {
  const tiff = exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif
  const isLittle = tiff.toString("latin1", 0, 2) === "II"
  const number = (at: number, length: 2 | 4): number => {
    if (at + length > tiff.length) return 0
    return isLittle ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length)
  }
  const directory = number(4, 4)
  const fields = Math.min(mostFields, number(directory, 2))
  for (let field = 0; field < fields; field++) {
    const at = directory + 2 + field * 12
    if (number(at, 2) === orientationTag) return number(at + 8, 2)
  }
  return undefined
}
