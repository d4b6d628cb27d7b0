import { pngChunks } from "./png-chunks.ts"
import { webpChunks } from "./webp-chunks.ts"

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
