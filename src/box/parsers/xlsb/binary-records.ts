/** A record of a binary part (MS-XLSB 2.1.4): its type, and the positions of its content. */
export interface BinaryRecord {
  type: number
  /** Position of its type. */
  at: number
  start: number
  end: number
}

/** Yields the records of a part. A record that exceeds the part is cut. */
export function* binaryRecords(part: Buffer): Generator<BinaryRecord, void, undefined> {
  for (let at = 0; at + 2 <= part.length;) {
    let next = at
    const low = part[next++] ?? 0
    const type = low < 0x80 ? low : (low & 0x7f) | (((part[next++] ?? 0) & 0x7f) << 7)
    let size = 0
    for (let index = 0, byte = 0x80; index < 4 && byte >= 0x80; index++) {
      byte = part[next++] ?? 0
      size |= (byte & 0x7f) << (index * 7)
    }
    const end = Math.min(part.length, next + size)
    yield { type, at, start: next, end }
    at = end
  }
}

/** Returns the text that starts here with its length, and where it ends; undefined if it exceeds the record. */
export function readWideText(
  part: Buffer,
  at: number,
  end: number,
): { text: string; end: number } | undefined {
  if (at + 4 > end) return undefined
  const length = part.readUInt32LE(at)
  // A text that isn't there.
  if (length === 0xffffffff) return { text: "", end: at + 4 }
  const textEnd = at + 4 + length * 2
  return textEnd > end ? undefined : { text: part.toString("utf16le", at + 4, textEnd), end: textEnd }
}

const bundledSheet = 156
/** A state and a number precede the relationship's id. */
const relationshipAt = 8

/** Returns the relationships of a workbook's sheets, by their names (MS-XLSB 2.4.315). */
export function readSheetRelationships(workbook: Buffer): Map<string, string> {
  const relationships = new Map<string, string>()
  for (const { type, start, end } of binaryRecords(workbook)) {
    if (type !== bundledSheet) continue
    const id = readWideText(workbook, start + relationshipAt, end)
    const name = id && readWideText(workbook, id.end, end)
    if (name) relationships.set(name.text, id.text)
  }
  return relationships
}
