/** Properties of a range of bytes of the main stream. */
export interface Run {
  start: number
  end: number
  /** Property modifiers (MS-DOC 2.2.5); for paragraphs, preceded by the style's number. */
  properties: Buffer
}

const pageBytes = 512
const maxRuns = 5_000_000

/**
 * Reads the runs of formatted disk pages (MS-DOC 2.9.33 and 2.9.175), in file order.
 * @param table bytes of the PlcBte that lists the pages
 * @param entryBytes 13 for paragraphs, 1 for characters
 */
export function readRuns(main: Buffer, table: Buffer, entryBytes: 1 | 13): Run[] {
  const runs: Run[] = []
  const pages = Math.floor((table.length - 4) / 8)
  for (let page = 0; page < pages && runs.length < maxRuns; page++) {
    const at = (table.readUInt32LE((pages + 1 + page) * 4) & 0x3fffff) * pageBytes
    if (at + pageBytes > main.length) continue
    const bytes = main.subarray(at, at + pageBytes)
    const count = bytes.readUInt8(pageBytes - 1)
    if ((count + 1) * 4 + count * entryBytes > pageBytes) continue
    for (let run = 0; run < count; run++) {
      runs.push({
        start: bytes.readUInt32LE(run * 4),
        end: bytes.readUInt32LE(run * 4 + 4),
        properties: propertiesAt(bytes, bytes.readUInt8((count + 1) * 4 + run * entryBytes) * 2, entryBytes),
      })
    }
  }
  return runs.toSorted((a, b) => a.start - b.start)
}

function propertiesAt(page: Buffer, at: number, entryBytes: 1 | 13): Buffer {
  if (at === 0) return page.subarray(0, 0)
  const count = page.readUInt8(at)
  if (entryBytes === 1) return page.subarray(at + 1, at + 1 + count)
  if (count !== 0) return page.subarray(at + 1, at + 2 * count)
  return page.subarray(at + 2, at + 2 + 2 * page.readUInt8(Math.min(at + 1, pageBytes - 1)))
}

/** Finds the run that contains a position. Positions may be requested in any order. */
export class RunLookup {
  readonly #runs: readonly Run[]

  constructor(runs: readonly Run[]) {
    this.#runs = runs
  }

  at(position: number): Run | undefined {
    let low = 0
    let high = this.#runs.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#runs[middle]?.start ?? 0) <= position) low = middle
      else high = middle - 1
    }
    const run = this.#runs[low]
    return run && run.start <= position && position < run.end ? run : undefined
  }
}

const fixedOperandBytes = [1, 1, 2, 4, 2, 2, 0, 3]
const variableOperand = 6
const defineTable = 0xd608

/** Returns the value of the last one-byte property modifier of this kind; undefined when there is none. */
export function modifier(properties: Buffer, wanted: number): number | undefined {
  let value: number | undefined
  for (let at = 0; at + 2 < properties.length;) {
    const code = properties.readUInt16LE(at)
    const kind = code >>> 13
    if (code === wanted) value = properties.readUInt8(at + 2)
    if (kind !== variableOperand) at += 2 + (fixedOperandBytes[kind] ?? 1)
    else if (code !== defineTable) at += 3 + properties.readUInt8(at + 2)
    else if (at + 3 < properties.length) at += 3 + properties.readUInt16LE(at + 2)
    else break
  }
  return value
}
