import type { ReadAhead } from "../xml/xml-events.ts"
import { createRowScanner, skipBlanks, type PlainRow } from "./plain-rows.ts"

/** What reads a worksheet by the events of the XML parser. */
export interface RowTaker {
  /** Whether the parser is where nothing but a row, or the end of all of them, may follow. */
  isBetweenRows(): boolean
  take(row: PlainRow): void
}

/** Characters without the end of a row, beyond which rows are left to the XML parser. */
const longestRow = 2 ** 22
/** Characters without the end of the tag around them, which hardly ever has attributes. */
const longestTag = 2 ** 16
const rowsBegin = "<sheetData"
const shortestBeginning = "<row>".length
const rowEnds = "</row>"

const isRow = (text: string, at: number): boolean =>
  text.startsWith("<row", at) && [" ", ">"].includes(text[at + 4] ?? "")

/** Takes plain rows out of a worksheet's text, and passes on the rest to the parser, in its order. */
export function readRowsAhead(parse: (text: string) => void, taker: RowTaker): ReadAhead {
  const scan = createRowScanner()
  let held = ""
  let place: "before" | "rows" | "after" = "before"

  /** Passes on what stands before the rows; how far that was. */
  function begin(): number {
    let at = 0
    while (place === "before") {
      const start = held.indexOf(rowsBegin, at)
      const end = start === -1 ? -1 : held.indexOf(">", start)
      if (end === -1) {
        const begun = start === -1 ? Math.max(at, held.length - rowsBegin.length) : start
        const passed = held.length - begun > longestTag ? held.length : begun
        parse(held.slice(at, passed))
        return passed
      }
      parse(held.slice(at, end + 1))
      at = end + 1
      if (taker.isBetweenRows()) place = "rows"
    }
    return at
  }

  /** Reads what rows there are as a whole; where it stopped. */
  function readRows(): number {
    let at = 0
    let close = -1
    for (;;) {
      const start = skipBlanks(held, at)
      if (held.length - start < shortestBeginning) return start
      if (!isRow(held, start)) break
      // Of many rows that are empty tags, it is the same.
      if (close < start) close = held.indexOf(rowEnds, start)
      if (close === -1 && held.length - start < longestRow) return at
      if (close === -1) break
      const row = scan(held, start)
      if (row !== null) {
        taker.take(row)
        at = row.end
        continue
      }
      const end = close + rowEnds.length
      const written = held.slice(start, end)
      // The end may stand in a comment.
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
