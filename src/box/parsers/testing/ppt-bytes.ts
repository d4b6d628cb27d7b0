import { rc4Stream, xor } from "../passwords/rc4.ts"
import { compoundBytes } from "./compound-bytes.ts"
import type { OldEncryption } from "./encrypted-office.ts"

function atom(type: number, content: Uint8Array, instance = 0): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16LE(instance << 4, 0)
  head.writeUInt16LE(type, 2)
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content])
}

function container(type: number, parts: readonly Buffer[], instance = 0): Buffer {
  const record = atom(type, Buffer.concat(parts), instance)
  record.writeUInt16LE((instance << 4) | 0xf, 0)
  return record
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

const header = (kind: number): Buffer => atom(3999, numbers(kind))
const narrow = (text: string): Buffer => atom(4008, Buffer.from(text, "latin1"))
const wide = (text: string, type = 4000): Buffer => atom(type, Buffer.from(text, "utf16le"))
const persist = (reference: number, slideId: number): Buffer =>
  atom(1011, numbers(reference, 0, 0, slideId, 0))

/** Creates a presentation that was saved twice. The second save replaced the first slide. */
export function pptBytes(encryption?: OldEncryption): Buffer {
  const textBox = (...parts: Buffer[]): Buffer =>
    container(1036, [container(0xf004, [container(0xf00d, parts)])])
  const records = {
    document: container(1000, [
      container(4057, [wide("ACME", 4026)], 3),
      container(4080, [
        persist(2, 256),
        header(0),
        narrow("Welcome"),
        header(1),
        narrow("First\rSecond"),
        persist(3, 257),
      ]),
      container(4080, [persist(4, 0)], 2),
    ]),
    old: container(1006, [textBox(narrow("Old text"))]),
    first: container(1006, [textBox(atom(3998, numbers(0)))]),
    second: container(1006, [textBox(header(4), wide("In a shape, zażółć"))]),
    notes: container(1008, [atom(1009, numbers(256, 0)), textBox(wide("*")), textBox(narrow("Say hello"))]),
  }
  const parts: Buffer[] = []
  let length = 0
  const put = (record: Buffer, id?: number): number => {
    if (encryption && id !== undefined) xor(record, rc4Stream(encryption.getKey(id), record.length))
    parts.push(record)
    length += record.length
    return length - record.length
  }
  const places = [
    put(records.document, 1),
    put(records.old, 2),
    put(records.second, 3),
    put(records.notes, 4),
    ...(encryption ? [put(container(0x2f14, [encryption.info]))] : []),
  ]
  const firstDirectory = put(atom(6002, numbers((places.length << 20) | 1, ...places)))
  const firstEdit = put(atom(4085, numbers(0, 0, 0, firstDirectory, 1, 5, 0)))
  const replaced = put(records.first, 2)
  const directory = put(atom(6002, numbers((1 << 20) | 2, replaced)))
  const edit = put(atom(4085, numbers(0, 0, firstEdit, directory, 1, 5, 0, ...(encryption ? [5] : []))))
  return compoundBytes({
    "PowerPoint Document": Buffer.concat(parts),
    "Current User": numbers(0, 0, 0x14, encryption ? 0xf3d1c4df : 0xe391c05f, edit, 0),
  })
}
