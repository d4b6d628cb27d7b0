import type { CellDefinition } from "../table/positioned-table.ts"

/** Bytes of the operand, by the highest bits of a modifier's code (MS-DOC 2.2.5.1). */
const fixedOperandBytes = [1, 1, 2, 4, 2, 2, 0, 3]
const variableOperand = 6
const defineTable = 0xd608

/** Returns where the operand of the last property modifier of this kind starts; undefined when there is none. */
function findOperand(properties: Buffer, wanted: number): number | undefined {
  let found: number | undefined
  for (let at = 0; at + 2 < properties.length;) {
    const code = properties.readUInt16LE(at)
    const kind = code >>> 13
    if (code === wanted) found = at + 2
    if (kind !== variableOperand) at += 2 + (fixedOperandBytes[kind] ?? 1)
    else if (code !== defineTable) at += 3 + properties.readUInt8(at + 2)
    else if (at + 3 < properties.length) at += 3 + properties.readUInt16LE(at + 2)
    else break
  }
  return found
}

/** Returns the value of the last property modifier of this kind, whose code tells its size; undefined when there is none. */
export function modifier(properties: Buffer, wanted: number): number | undefined {
  const at = findOperand(properties, wanted)
  if (at === undefined) return undefined
  const bytes = fixedOperandBytes[wanted >>> 13] ?? 1
  if (at + bytes > properties.length) return undefined
  return bytes === 1 ? properties.readUInt8(at) : properties.readUIntLE(at, bytes)
}

/** Large properties are stored elsewhere, at a position in the data stream. */
const storedElsewhere = [0x646b, 0x6645, 0x6646]

/** Returns the property modifiers of a paragraph, including those that are stored elsewhere. */
export function readModifiers(properties: Buffer, getData: () => Buffer): Buffer {
  const parts = storedElsewhere.flatMap((kind) => {
    const at = modifier(properties, kind)
    if (at === undefined) return []
    const data = getData()
    return at + 2 > data.length ? [] : [data.subarray(at + 2, at + 2 + data.readUInt16LE(at))]
  })
  return parts.length === 0 ? properties : Buffer.concat([properties, ...parts])
}

const maxTableCells = 63
/** Bytes that define one cell of a row: flags, widths and borders. */
const cellBytes = 20

/** Returns the cells that the end of a row defines (MS-DOC 2.9.327). */
export function readCellDefinitions(properties: Buffer): CellDefinition[] {
  const at = findOperand(properties, defineTable)
  if (at === undefined || at + 3 > properties.length) return []
  const count = Math.min(properties.readUInt8(at + 2), maxTableCells)
  const edges = at + 3
  const flags = edges + (count + 1) * 2
  const end = Math.min(properties.length, at + 1 + properties.readUInt16LE(at))
  const cells: CellDefinition[] = []
  for (let index = 0; index < count && edges + index * 2 + 4 <= properties.length; index++) {
    const state =
      flags + index * cellBytes + 2 <= end ? properties.readUInt16LE(flags + index * cellBytes) : 0
    const isCovered = (state & 3) === 1
    const vertical = (state >>> 5) & 3
    cells.push({
      left: properties.readInt16LE(edges + index * 2),
      right: properties.readInt16LE(edges + index * 2 + 2),
      isFirst: vertical === 3,
      coveredBy: isCovered ? "left" : vertical === 1 ? "above" : undefined,
    })
  }
  return cells
}
