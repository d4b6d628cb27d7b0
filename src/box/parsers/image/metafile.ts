const fileHeaderBytes = 14
const bitFields = 3

/** Returns a bitmap as a file; undefined for one without a header. Drawings and documents store bitmaps without their file's header. */
export function toBitmapFile(bitmap: Buffer): Buffer | undefined {
  if (bitmap.length < 40) return undefined
  const headerBytes = bitmap.readUInt32LE(0)
  if (headerBytes < 40 || headerBytes > 200) return undefined
  const depth = bitmap.readUInt16LE(14)
  const masks = headerBytes === 40 && bitmap.readUInt32LE(16) === bitFields ? 12 : 0
  const declared = bitmap.readUInt32LE(32)
  const colours = depth > 8 ? declared : declared > 0 && declared <= 2 ** depth ? declared : 2 ** depth
  const header = Buffer.alloc(fileHeaderBytes)
  header.write("BM", "latin1")
  header.writeUInt32LE((fileHeaderBytes + bitmap.length) >>> 0, 2)
  header.writeUInt32LE((fileHeaderBytes + headerBytes + masks + colours * 4) >>> 0, 10)
  return Buffer.concat([header, bitmap])
}

const placeableKey = 0x9ac6cdd7
const placeableBytes = 22
const metafileHeaderBytes = 18
/** Records that draw a bitmap, with the bytes before it (MS-WMF 2.3.1). */
const bitmapRecords = new Map([
  [0x0940, 16],
  [0x0b41, 20],
  [0x0d33, 18],
  [0x0f43, 22],
])
const maxRecords = 100_000

/** Returns the largest bitmap in a Windows metafile as a file; undefined if it only draws lines and text. */
export function findBitmapInMetafile(metafile: Buffer): Buffer | undefined {
  const isPlaceable = metafile.length > placeableBytes && metafile.readUInt32LE(0) === placeableKey
  let at = metafileHeaderBytes + (isPlaceable ? placeableBytes : 0)
  let largest: Buffer | undefined
  for (let count = 0; at + 6 <= metafile.length && count < maxRecords; count++) {
    const bytes = metafile.readUInt32LE(at) * 2
    if (bytes < 6) break
    const before = bitmapRecords.get(metafile.readUInt16LE(at + 4))
    if (before !== undefined && bytes - 6 - before > (largest?.length ?? 0))
      largest = metafile.subarray(at + 6 + before, at + bytes)
    at += bytes
  }
  return largest && toBitmapFile(largest)
}
