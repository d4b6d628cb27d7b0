import { getFontShift, joinRuns, type FontRun } from "../sheets/shifted-runs.ts"
import type { Shift } from "../text/linear-math.ts"
import { binaryRecords, readWideText } from "./binary-records.ts"

const font = 43
const shiftAt = 6
const sharedText = 19
const rich = 1
const runBytes = 4

/** Returns how each font of a workbook shifts its characters (MS-XLSB 2.4.159). */
export function readFontShifts(styles: Buffer): Shift[] {
  const shifts: Shift[] = []
  for (const { type, start, end } of binaryRecords(styles))
    if (type === font)
      shifts.push(start + shiftAt + 2 <= end ? getFontShift(styles.readUInt16LE(start + shiftAt)) : undefined)
  return shifts
}

/**
 * Returns the shared texts of a workbook with marks before raised digits, because the library doesn't tell them from others (MS-XLSB
 * 2.4.760).
 */
export function markShiftedTexts(texts: Buffer, fonts: readonly Shift[]): Buffer {
  if (fonts.every((shift) => shift === undefined)) return texts
  const parts: Buffer[] = []
  let copied = 0
  for (const { type, at, start, end } of binaryRecords(texts)) {
    if (type !== sharedText || ((texts[start] ?? 0) & rich) === 0) continue
    const read = readWideText(texts, start + 1, end)
    const runs = read ? readRuns(texts.subarray(read.end, end), fonts) : []
    if (!read || !runs.some(({ shift }) => shift !== undefined)) continue
    parts.push(texts.subarray(copied, at), plainText(joinRuns(read.text, runs)))
    copied = end
  }
  return Buffer.concat([...parts, texts.subarray(copied)])
}

function readRuns(listed: Buffer, fonts: readonly Shift[]): FontRun[] {
  const runs: FontRun[] = []
  const count = listed.length >= 4 ? listed.readUInt32LE(0) : 0
  for (let index = 0; index < count; index++) {
    const at = 4 + index * runBytes
    if (at + runBytes > listed.length) break
    runs.push({ start: listed.readUInt16LE(at), shift: fonts[listed.readUInt16LE(at + 2)] })
  }
  return runs
}

/** Creates the record of a text without fonts. */
function plainText(text: string): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32LE(text.length, 1)
  const content = Buffer.concat([head, Buffer.from(text, "utf16le")])
  const size: number[] = []
  for (let rest = content.length, more = true; more; rest >>>= 7) {
    more = rest > 0x7f
    size.push((rest & 0x7f) | (more ? 0x80 : 0))
  }
  return Buffer.concat([Buffer.of(sharedText, ...size), content])
}
