/** Creates a record of Office's drawings or of PowerPoint. */
export function atom(type: number, content: Uint8Array, instance = 0): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16LE(instance << 4, 0)
  head.writeUInt16LE(type, 2)
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content])
}

/** Creates a record that contains others. */
export function container(type: number, parts: readonly Buffer[], instance = 0): Buffer {
  const record = atom(type, Buffer.concat(parts), instance)
  record.writeUInt16LE((instance << 4) | 0xf, 0)
  return record
}

export function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

/** Creates the record with the bytes of a PNG file. */
export const pictureRecord = (png: Buffer): Buffer =>
  atom(0xf01e, Buffer.concat([Buffer.alloc(17), png]), 0x6e0)

/** Creates the record of a Windows metafile. */
export function metafileRecord(metafile: Buffer): Buffer {
  const header = Buffer.alloc(34)
  header.writeUInt8(0xfe, 32)
  return atom(0xf01b, Buffer.concat([Buffer.alloc(16), header, metafile]), 0x216)
}

/** Creates the list of a document's pictures. `apart`: their bytes are in a stream of their own, one after the other. */
export function storedPictures(pictures: readonly Buffer[], where: "inside" | "apart"): Buffer {
  let position = 0
  const entries = pictures.map((picture) => {
    const record = picture.readUInt16LE(2) === 0xf01b ? picture : pictureRecord(picture)
    const entry = Buffer.alloc(36)
    entry.writeUInt32LE(position, 28)
    position += record.length
    return atom(0xf007, where === "apart" ? entry : Buffer.concat([entry, record]), 6)
  })
  return container(0xf000, [container(0xf001, entries)])
}

/** Creates a shape that shows a picture, by its number from 1, on a sheet at this column and row, from 0. */
export function pictureShape(id: number, picture: number, column = 0, row = 0): Buffer {
  const option = Buffer.alloc(6)
  option.writeUInt16LE(0x4104, 0)
  option.writeUInt32LE(picture, 2)
  const anchor = Buffer.alloc(18)
  anchor.writeUInt16LE(column, 2)
  anchor.writeUInt16LE(row, 6)
  return container(0xf004, [atom(0xf00a, numbers(id, 0)), atom(0xf00b, option, 1), atom(0xf010, anchor)])
}

/** Creates a bitmap as documents store it: grey, with 24 bits per pixel and without the header of a file. */
export function bitmapOf(width: number, height = 40): Buffer {
  const header = Buffer.alloc(40)
  header.writeUInt32LE(40, 0)
  header.writeInt32LE(width, 4)
  header.writeInt32LE(height, 8)
  header.writeUInt16LE(1, 12)
  header.writeUInt16LE(24, 14)
  return Buffer.concat([header, Buffer.alloc(Math.ceil((width * 3) / 4) * 4 * height, 200)])
}

/** Creates a Windows metafile that draws a line and a bitmap. */
export function metafileOf(bitmap: Buffer): Buffer {
  const record = (type: number, content: Buffer) => {
    const head = Buffer.alloc(6)
    head.writeUInt32LE((6 + content.length) / 2, 0)
    head.writeUInt16LE(type, 4)
    return Buffer.concat([head, content])
  }
  const draw = record(0x0f43, Buffer.concat([Buffer.alloc(22), bitmap]))
  return Buffer.concat([Buffer.alloc(18), record(0x0213, Buffer.alloc(4)), draw, record(0, Buffer.alloc(0))])
}
