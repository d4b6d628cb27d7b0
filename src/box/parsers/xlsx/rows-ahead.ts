import type { ReadAhead } from "../xml/xml-events.ts"
import { createRowScanner, skipBlanks, type PlainRow } from "./plain-rows.ts"

/** The reader of a worksheet, which also receives the events of the XML parser. */
export interface RowTaker {
  /** Whether the parser is at a position where only a row or the end of all rows may follow. */
  isBetweenRows(): boolean
  take(row: PlainRow): void
}

/** Maximum characters without the end of a row. Beyond it, rows are left to the XML parser. */
const maxRowLength = 2 ** 22
/** Maximum characters without the end of the tag around the rows, which rarely has attributes. */
const maxTagLength = 2 ** 16
const rowsStart = "<sheetData"
const minBeginningLength = "<row>".length
const rowEnds = "</row>"

const isRow = (text: string, at: number): boolean =>
  text.startsWith("<row", at) && [" ", ">"].includes(text[at + 4] ?? "")

/** Reads plain rows from a worksheet's text, and passes the rest to the parser in order. */
export function readRowsAhead(parse: (text: string) => void, taker: RowTaker): ReadAhead {
  const scan = createRowScanner()
  let held = ""
  let place: "before" | "rows" | "after" = "before"

  /** Passes on the text before the rows. Returns where it ends. */
  function begin(): number {
    let at = 0
    while (place === "before") {
      const start = held.indexOf(rowsStart, at)
      const end = start === -1 ? -1 : held.indexOf(">", start)
      if (end === -1) {
        const begun = start === -1 ? Math.max(at, held.length - rowsStart.length) : start
        const passed = held.length - begun > maxTagLength ? held.length : begun
        parse(held.slice(at, passed))
        return passed
      }
      parse(held.slice(at, end + 1))
      at = end + 1
      if (taker.isBetweenRows()) place = "rows"
    }
    return at
  }

  /** Reads all complete rows. Returns where it stopped. */
  function readRows(): number {
    let at = 0
    let close = -1
    for (;;) {
      const start = skipBlanks(held, at)
      if (held.length - start < minBeginningLength) return start
      if (!isRow(held, start)) break
      // Many rows that are empty tags have the same next closing tag.
      if (close < start) close = held.indexOf(rowEnds, start)
      if (close === -1 && held.length - start < maxRowLength) return at
      if (close === -1) break
      const row = scan(held, start)
      if (row !== null) {
        taker.take(row)
        at = row.end
        continue
      }
      const end = close + rowEnds.length
      const written = held.slice(start, end)
      // The end may be inside a comment.
      if (/<[!?]/.test(written)) break
      parse(written)
      at = end
      if (!taker.isBetweenRows()) break
    }
    place = "after"
    return at
  }

  return {
    write(text) {
      held += text
      let at = 0
      if (place === "before") held = held.slice(begin())
      if (place === "rows") held = held.slice((at = readRows()))
      if (place === "after") {
        parse(held)
        held = ""
      }
      return at > 0
    },
    end: () => parse(held),
  }
}
