/** The type of records that contain others. */
const container = 0xf
const maxDepth = 60

export interface ArtRecord {
  type: number
  instance: number
  isContainer: boolean
  /** Position of its content. */
  start: number
  end: number
}

/** Reads the records of Office's drawings and of PowerPoint (MS-ODRAW 2.2.1, MS-PPT 2.3.1). A record that exceeds its parent is cut. */
export class ArtRecords {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Returns the record that starts here; undefined when there is no room for one. */
  at(offset: number, limit = this.bytes.length): ArtRecord | undefined {
    if (!(offset >= 0 && offset + 8 <= limit)) return undefined
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

  *within({ start, end }: { start: number; end: number }): Generator<ArtRecord, void, undefined> {
    for (let record = this.at(start, end); record; record = this.at(record.end, end)) yield record
  }

  /** Yields all records inside at any depth, in file order. `enter` decides which records are searched. */
  *deep(
    parent: { start: number; end: number },
    enter: (record: ArtRecord) => boolean = () => true,
    depth = 0,
  ): Generator<ArtRecord, void, undefined> {
    if (depth > maxDepth) return
    for (const record of this.within(parent)) {
      yield record
      if (record.isContainer && enter(record)) yield* this.deep(record, enter, depth + 1)
    }
  }

  /** Returns a number in a record's content, or 0 if the content ends before it. */
  number({ start, end }: Pick<ArtRecord, "start" | "end">, offset: number): number {
    return start + offset + 4 <= end ? this.bytes.readUInt32LE(start + offset) : 0
  }

  /** Returns a 16-bit number in a record's content, or 0 if the content ends before it. */
  short({ start, end }: Pick<ArtRecord, "start" | "end">, offset: number): number {
    return start + offset + 2 <= end ? this.bytes.readUInt16LE(start + offset) : 0
  }
}
