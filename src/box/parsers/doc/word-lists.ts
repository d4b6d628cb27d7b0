import { bullet } from "../text/list-numbers.ts"
import {
  countParagraph,
  createLevel,
  createList,
  createNumbering,
  maxLevels,
  storedFormats,
  type List,
  type ListLevel,
  type Numbering,
} from "../text/numbered-lists.ts"

interface StoredList extends List {
  /** Numbers of the styles that belong to each level. */
  styles: number[]
}

export interface WordLists {
  /** Returns the level of a list that belongs to a paragraph style. */
  getLevel(use: number, style: number): number | undefined
  /** Counts a paragraph and returns what precedes its text: its number, a bullet, or nothing. */
  count(use: number, level: number): string
}

const listBytes = 28
const levelBytes = 28
const useBytes = 16
const maxText = 200
/** Uses of lists that a paragraph can name (MS-DOC 2.6.2, sprmPIlfo). */
const maxUses = 0x7fe

class TableReader {
  at: number
  readonly #bytes: Buffer

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  /** Returns the next bytes; fewer when the table ends. */
  take(count: number): Buffer {
    const taken = this.#bytes.subarray(this.at, this.at + count)
    this.at += count
    return taken
  }

  has(count: number): boolean {
    return this.at >= 0 && this.at + count <= this.#bytes.length
  }

  /** Reads one level (MS-DOC 2.9.150); undefined when the table ends. */
  level(): ListLevel | undefined {
    if (!this.has(levelBytes)) return undefined
    const head = this.take(levelBytes)
    this.at += head.readUInt8(24) + head.readUInt8(25)
    if (!this.has(2)) return undefined
    const text = this.take(this.take(2).readUInt16LE(0) * 2).toString("utf16le")
    const flags = head.readUInt8(5)
    return {
      ...createLevel(),
      start: Math.max(0, head.readInt32LE(0)),
      format: storedFormats[head.readUInt8(4)] ?? "decimal",
      // The characters 0 to 8 stand for the numbers of the levels.
      text: Array.from(text.slice(0, maxText), (character) =>
        character < "\t" ? `%${character.charCodeAt(0) + 1}` : character,
      ).join(""),
      restart: flags & 8 ? head.readUInt8(26) : undefined,
      isLegal: (flags & 4) !== 0,
    }
  }
}

/**
 * Reads the lists of a document and their uses (MS-DOC 2.9.189 and 2.9.188).
 * @param lists where the lists start in the table stream; their levels follow them
 */
export function readWordLists(
  table: Buffer,
  { lists: listsAt, overrides }: { lists: number; overrides: Buffer },
): WordLists {
  const lists = readLists(table, listsAt)
  const uses = readUses(overrides)
  const find = (use: number) => {
    const numbering = uses[use - 1]
    const list = numbering && lists.get(numbering.list)
    return list && { list, numbering }
  }
  return {
    getLevel(use, style) {
      const level = find(use)?.list.styles.indexOf(style) ?? -1
      return level === -1 ? undefined : level
    },
    count(use, level) {
      const found = find(use)
      return found ? countParagraph(found.list, found.numbering, level) : bullet
    },
  }
}

function readLists(table: Buffer, at: number): Map<number, StoredList> {
  const lists = new Map<number, StoredList>()
  const reader = new TableReader(table, at)
  if (at === 0 || !reader.has(2)) return lists
  const count = reader.take(2).readUInt16LE(0)
  const heads = Array.from({ length: count }, () => reader.take(listBytes)).filter(
    ({ length }) => length === listBytes,
  )
  for (const head of heads) {
    const styles = Array.from({ length: maxLevels }, (_, level) => head.readUInt16LE(8 + level * 2))
    const list: StoredList = { ...createList(), styles }
    lists.set(head.readInt32LE(0), list)
    const levels = head.readUInt8(26) & 1 ? 1 : maxLevels
    for (let index = 0; index < levels; index++) {
      const level = reader.level()
      if (!level) return lists
      list.levels.set(index, level)
    }
  }
  return lists
}

function readUses(overrides: Buffer): (Numbering & { list: number })[] {
  const reader = new TableReader(overrides, 0)
  if (!reader.has(4)) return []
  const count = Math.min(reader.take(4).readUInt32LE(0), maxUses)
  const heads = Array.from({ length: count }, () => reader.take(useBytes)).filter(
    ({ length }) => length === useBytes,
  )
  return heads.map((head) => {
    const use = { ...createNumbering(), list: head.readInt32LE(0) }
    reader.take(4)
    for (let index = head.readUInt8(12); index > 0 && reader.has(8); index--) {
      const override = reader.take(8)
      const flags = override.readUInt32LE(4)
      const level = flags & 0x20 ? reader.level() : undefined
      const start = override.readInt32LE(0)
      use.overrides.set(flags & 0xf, { ...(level && { level }), ...(flags & 0x10 && { start }) })
    }
    return use
  })
}
