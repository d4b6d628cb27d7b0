/** A cell as it is written: its type and value aren't looked at. */
export interface PlainCell {
  /** From 0; null: the one after the cell before it. */
  column: number | null
  type: string
  style: number
  value: string
}

export interface PlainRow {
  /** As it says itself; null: the one after the row before it. */
  row: number | null
  /** Only the first `count` are of this row: they are used again for the next one. */
  cells: PlainCell[]
  count: number
  /** Where it ends in the text. */
  end: number
}

const blank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
const isDigit = (code: number) => code >= 0x30 && code <= 0x39
const isLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

const [lessThan, greaterThan, slash, quote, equals] = [0x3c, 0x3e, 0x2f, 0x22, 0x3d]
const [letterC, letterF, letterR, letterS, letterT, letterV] = [0x63, 0x66, 0x72, 0x73, 0x74, 0x76]
/** By their first letter; `str` and `inlineStr` have more of them. */
const shortTypes: Partial<Record<number, string>> = { 0x73: "s", 0x6e: "n", 0x62: "b", 0x64: "d", 0x65: "e" }
const longTypes = ["str", "inlineStr"]
const inlineText = "<is><t"
const keepsBlanks = ' xml:space="preserve"'

export function skipBlanks(text: string, from: number): number {
  let at = from
  while (blank(text.charCodeAt(at))) at++
  return at
}

/**
 * Reads rows of a worksheet that are written as spreadsheet programs write nearly all of them, ten times as fast as by an XML
 * parser. What is written in any other way is none of its business: entities, comments, rich texts, unknown attributes,
 * characters that XML doesn't have, or anything not well-formed.
 */
export function createRowScanner() {
  const read: PlainRow = { row: null, cells: [], count: 0, end: 0 }
  let text = ""
  let at = 0

  const code = () => text.charCodeAt(at)
  const has = (part: string): boolean => {
    if (!text.startsWith(part, at)) return false
    at += part.length
    return true
  }

  /** Plain digits up to a quote, which is read, too; null where there is anything else. */
  function numberToQuote(): number | null {
    let number = 0
    const start = at
    for (; isDigit(code()); at++) number = number * 10 + code() - 0x30
    if (at === start || at - start > 9 || code() !== quote) return null
    at++
    return number
  }

  /** Attributes of whatever sense, and the tag's end: whether it is a plain one. */
  function plainAttributes(): boolean {
    while (code() === 0x20) {
      at++
      if (!isLetter(code())) return false
      while (isLetter(code())) at++
      if (code() === 0x3a) at++
      while (isLetter(code()) || isDigit(code())) at++
      if (code() !== equals || text.charCodeAt(at + 1) !== quote) return false
      at += 2
      while (isPlain(code()) && code() !== quote) at++
      if (code() !== quote) return false
      at++
    }
    return true
  }

  /** Text up to a tag; null where it has anything that isn't itself. */
  function plainText(): string | null {
    const start = at
    while (isPlain(code())) at++
    return code() === lessThan ? text.slice(start, at) : null
  }

  /** The column of a reference like `AB12` up to a quote, which is read, too; null where it isn't one. */
  function referredColumn(): number | null {
    let column = 0
    const start = at
    for (; code() >= 0x41 && code() <= 0x5a; at++) column = column * 26 + code() - 0x40
    if (at === start || at - start > 3) return null
    return numberToQuote() === null ? null : column - 1
  }

  /** What follows `<c`: whether it was a plain cell. */
  function cell(): boolean {
    let [column, style, type]: [number | null, number, string] = [null, 0, "n"]
    let seen = 0
    for (; code() === 0x20;) {
      const name = text.charCodeAt(at + 1)
      if (text.charCodeAt(at + 2) !== equals || text.charCodeAt(at + 3) !== quote) return false
      at += 4
      const bit = name === letterR ? 1 : name === letterS ? 2 : name === letterT ? 4 : 0
      if (bit === 0 || (seen & bit) !== 0) return false
      seen |= bit
      if (bit === 1) {
        column = referredColumn()
        if (column === null) return false
      } else if (bit === 2) {
        const number = numberToQuote()
        if (number === null) return false
        style = number
      } else {
        const known = knownType()
        if (known === undefined) return false
        type = known
      }
    }
    const value = code() === slash ? emptyTag() : content(type)
    if (value === null) return false
    const into = (read.cells[read.count++] ??= { column: null, type: "n", style: 0, value: "" })
    into.column = column
    into.style = style
    into.type = type
    into.value = value
    return true
  }

  /** A type up to a quote, which is read, too. */
  function knownType(): string | undefined {
    const isShort = text.charCodeAt(at + 1) === quote
    const known = isShort ? shortTypes[code()] : longTypes.find((type) => text.startsWith(`${type}"`, at))
    if (known !== undefined) at += known.length + 1
    return known
  }

  function emptyTag(): string | null {
    return has("/>") ? "" : null
  }

  /** What a cell holds up to its end, from the `>` of its beginning on. */
  function content(type: string): string | null {
    if (code() !== greaterThan) return null
    at++
    if (text.charCodeAt(at + 1) === letterF && !formula()) return null
    let value: string | null = ""
    if (code() === lessThan && text.charCodeAt(at + 1) === letterV) {
      if (text.charCodeAt(at + 2) !== greaterThan) return null
      at += 3
      value = plainText()
      if (value === null || !has("</v>")) return null
    } else if (type === "inlineStr" && has(inlineText)) {
      has(keepsBlanks)
      if (!has(">")) return null
      value = plainText()
      if (value === null || !has("</t></is>")) return null
    }
    return has("</c>") ? value : null
  }

  /** A formula, which nobody wants to see. */
  function formula(): boolean {
    at += 2
    if (!plainAttributes()) return false
    if (has("/>")) return true
    return has(">") && plainText() !== null && has("</f>")
  }

  /** What follows `<row`, up to the end of its tag: whether it is a plain one. */
  function rowTag(): boolean {
    read.row = null
    if (text.startsWith(' r="', at)) {
      at += 4
      read.row = numberToQuote()
      if (read.row === null || read.row === 0) return false
    }
    const start = at
    if (!plainAttributes()) return false
    // a number further on, or a second one
    return !text.slice(start, at).includes(' r="')
  }

  /** The row that begins here with `<row` and is known to end in the text; null where it isn't a plain one. */
  return (from: string, start: number): PlainRow | null => {
    text = from
    at = start + "<row".length
    read.count = 0
    if (!rowTag()) return null
    if (!has("/>")) {
      if (!has(">")) return null
      for (;;) {
        at = skipBlanks(text, at)
        if (code() !== lessThan) return null
        if (text.charCodeAt(at + 1) === slash) break
        if (text.charCodeAt(at + 1) !== letterC) return null
        at += 2
        if (!cell()) return null
      }
      if (!has("</row>")) return null
    }
    read.end = at
    return read
  }
}

/** Whether a character stands for itself in XML, alone; none does at the end of a text. */
const isPlain = (code: number) =>
  code >= 0x20 && code < 0xd800 && code !== 0x26 && code !== lessThan && code !== greaterThan
