import { getFontShift, joinRuns, type FontRun } from "../sheets/shifted-runs.ts"
import type { Shift } from "../text/linear-math.ts"

const highByte = 1
const extended = 4
const rich = 8
const runBytes = 4
/** The counts before the first text. */
const countBytes = 8
const shiftAt = 8
/** No font has this number. */
const missingFont = 4

/** Reads a table whose records are continued. A text that is continued repeats how wide its characters are. */
class ContinuedReader {
  readonly #parts: readonly Buffer[]
  #part = 0
  #at = 0

  constructor(parts: readonly Buffer[]) {
    this.#parts = parts
  }

  get isAtEnd(): boolean {
    return this.#part >= this.#parts.length
  }

  /** Returns the rest of the current part, at most `length` bytes. */
  #take(length: number): Buffer {
    const bytes = this.#parts[this.#part]?.subarray(this.#at, this.#at + length) ?? Buffer.alloc(0)
    this.#at += bytes.length
    if (this.#at >= (this.#parts[this.#part]?.length ?? 0)) [this.#part, this.#at] = [this.#part + 1, 0]
    return bytes
  }

  /** Returns the next bytes, with zeros in place of those after the end. */
  bytes(length: number): Buffer {
    const taken: Buffer[] = []
    for (let left = length; left > 0 && !this.isAtEnd;) {
      const bytes = this.#take(left)
      taken.push(bytes)
      left -= bytes.length
    }
    return Buffer.concat([...taken, Buffer.alloc(1)], length)
  }

  skip(length: number): void {
    for (let left = length; left > 0 && !this.isAtEnd;) left -= this.#take(left).length
  }

  characters(length: number, isWideAtFirst: boolean): string {
    let text = ""
    let isWide = isWideAtFirst
    while (text.length < length && !this.isAtEnd) {
      const part = this.#part
      const bytes = this.#take((length - text.length) * (isWide ? 2 : 1))
      text += bytes.toString(isWide ? "utf16le" : "latin1")
      if (this.#part !== part && text.length < length) isWide = ((this.#take(1)[0] ?? 0) & highByte) !== 0
    }
    return text
  }
}

/** Finds the texts of a workbook with raised or lowered characters (MS-XLS 2.4.122, 2.4.265 and 2.5.296). */
export class ShiftedTexts {
  readonly #fonts: Shift[] = []
  /** The parts of the table of texts. */
  readonly table: Buffer[] = []
  #texts: Map<number, string> | undefined

  addFont(font: Buffer): void {
    this.#fonts.push(font.length >= shiftAt + 2 ? getFontShift(font.readUInt16LE(shiftAt)) : undefined)
  }

  /** Returns a text by its number; undefined for one without raised and lowered characters. */
  get(number: number): string | undefined {
    if (this.#fonts.every((shift) => shift === undefined)) return undefined
    this.#texts ??= this.#read()
    return this.#texts.get(number)
  }

  #read(): Map<number, string> {
    const texts = new Map<number, string>()
    const reader = new ContinuedReader(this.table)
    reader.skip(countBytes)
    for (let number = 0; !reader.isAtEnd; number++) {
      const head = reader.bytes(3)
      const flags = head.readUInt8(2)
      const runCount = flags & rich ? reader.bytes(2).readUInt16LE(0) : 0
      const moreBytes = flags & extended ? reader.bytes(4).readUInt32LE(0) : 0
      const text = reader.characters(head.readUInt16LE(0), (flags & highByte) !== 0)
      const runs = this.#getRuns(reader.bytes(runCount * runBytes))
      reader.skip(moreBytes)
      if (runs.some(({ shift }) => shift !== undefined)) texts.set(number, joinRuns(text, runs))
    }
    return texts
  }

  #getRuns(bytes: Buffer): FontRun[] {
    const runs: FontRun[] = []
    for (let at = 0; at + runBytes <= bytes.length; at += runBytes) {
      const font = bytes.readUInt16LE(at + 2)
      const shift = this.#fonts[font > missingFont ? font - 1 : font]
      runs.push({ start: bytes.readUInt16LE(at), shift })
    }
    return runs
  }
}
