/** A square PNG and its side length in pixels. */
export interface Picture {
  size: number
  png: Buffer
}

/** Builds a Windows icon from PNGs: a header, an entry of 16 bytes for each, then the PNGs. */
export function ico(pictures: Picture[]): Buffer {
  const header = Buffer.alloc(6)
  header.writeUInt16LE(1, 2) // an icon, not a cursor
  header.writeUInt16LE(pictures.length, 4)
  let offset = header.length + 16 * pictures.length
  const entries = pictures.map(({ size, png }) => {
    const entry = Buffer.alloc(16)
    entry.writeUInt8(size % 256, 0) // 0 means 256
    entry.writeUInt8(size % 256, 1)
    entry.writeUInt16LE(1, 4)
    entry.writeUInt16LE(32, 6) // bits per pixel
    entry.writeUInt32LE(png.length, 8)
    entry.writeUInt32LE(offset, 12)
    offset += png.length
    return entry
  })
  return Buffer.concat([header, ...entries, ...pictures.map(({ png }) => png)])
}

/** Types of an Apple icon's PNGs by size in pixels. A size that is also another's double resolution has two. */
const types: Record<number, string[]> = {
  32: ["ic11"],
  64: ["ic12"],
  128: ["ic07"],
  256: ["ic08", "ic13"],
  512: ["ic09", "ic14"],
  1024: ["ic10"],
}

/** Builds an Apple icon from PNGs. Throws for a size without a type. */
export function icns(pictures: Picture[]): Buffer {
  const entries = pictures.flatMap(({ size, png }) => {
    const names = types[size]
    if (!names) throw new Error(`An Apple icon has no picture of ${size} pixels.`)
    return names.map((name) => chunk(name, png))
  })
  return chunk("icns", Buffer.concat(entries))
}

function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, "latin1")
  head.writeUInt32BE(head.length + content.length, 4)
  return Buffer.concat([head, content])
}
