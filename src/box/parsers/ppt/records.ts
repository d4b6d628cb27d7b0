/** Record types (MS-PPT 2.13.24) that lead to text. */
export const recordType = {
  document: 1000,
  slide: 1006,
  slideAtom: 1007,
  notes: 1008,
  notesAtom: 1009,
  slidePersist: 1011,
  outlineTextReference: 3998,
  textHeader: 3999,
  textCharacters: 4000,
  textBytes: 4008,
  string: 4026,
  headersFooters: 4057,
  slideList: 4080,
  userEdit: 4085,
  persistDirectory: 6002,
  comment: 12_000,
  textBox: 0xf00d,
} as const

const container = 0xf
const maxDepth = 60

export interface PptRecord {
  type: number
  instance: number
  isContainer: boolean
  /** Position of its content. */
  start: number
  end: number
}

/** Reads the records of a PowerPoint stream (MS-PPT 2.3.1). A record that exceeds its parent is cut. */
export class Records {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Returns the record that starts here; undefined when there is no room for one. */
  at(offset: number, limit = this.bytes.length): PptRecord | undefined {
    if (offset < 0 || offset + 8 > limit) return undefined
    const start = offset + 8
    const version = this.bytes.readUInt16LE(offset)
    return {
      type: this.bytes.readUInt16LE(offset + 2),
      instance: version >>> 4,
      isContainer: (version & 0xf) === container,
      start,
      end: Math.min(limit, start + this.bytes.readUInt32LE(offset + 4)),
    }
  }

  *within({ start, end }: { start: number; end: number }): Generator<PptRecord, void, undefined> {
    for (let record = this.at(start, end); record; record = this.at(record.end, end)) yield record
  }

  /** Yields all records inside at any depth, in file order. `enter` decides which records are searched. */
  *deep(
    parent: { start: number; end: number },
    enter: (record: PptRecord) => boolean,
    depth = 0,
  ): Generator<PptRecord, void, undefined> {
    if (depth > maxDepth) return
    for (const record of this.within(parent)) {
      yield record
      if (record.isContainer && enter(record)) yield* this.deep(record, enter, depth + 1)
    }
  }

  /** Returns a number in a record's content, or 0 if the content ends before it. */
  number({ start, end }: PptRecord, offset: number): number {
    return start + offset + 4 <= end ? this.bytes.readUInt32LE(start + offset) : 0
  }

  /** Returns the text of a text record; undefined for others. */
  text({ type, start, end }: PptRecord): string | undefined {
    if (type === recordType.textCharacters || type === recordType.string) {
      return this.bytes.toString("utf16le", start, end - ((end - start) & 1))
    }
    return type === recordType.textBytes ? this.bytes.toString("latin1", start, end) : undefined
  }
}
