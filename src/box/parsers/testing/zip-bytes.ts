import { crc32, deflateRawSync } from "node:zlib"

/** Creates a zip file with these entries, compressed. */
export function zipBytes(entries: Record<string, string | Uint8Array>): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(content as string)
    const file = entryBytes(name, deflateRawSync(bytes), crc32(bytes), bytes.length)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(20, 4)
    file.copy(central, 6, 4, 30)
    central.writeUInt32LE(offset, 42)
    directory.push(central, Buffer.from(name))
    files.push(file)
    offset += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, list, end])
}

function entryBytes(name: string, compressed: Buffer, checksum: number, size: number): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(20, 4)
  head.writeUInt16LE(8, 8)
  head.writeUInt32LE(checksum, 14)
  head.writeUInt32LE(compressed.length, 18)
  head.writeUInt32LE(size, 22)
  head.writeUInt16LE(Buffer.byteLength(name), 26)
  return Buffer.concat([head, Buffer.from(name), compressed])
}
