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

  /** Passes on what stands before the rows; where they begin, if they do here. */
  function begin(): number {
    const start = held.indexOf(rowsBegin)
    const end = start === -1 ? -1 : held.indexOf(">", start)
    if (end === -1) {
      const passed = start === -1 ? Math.max(0, held.length - rowsBegin.length) : start
      parse(held.slice(0, passed))
      return passed
    }
    parse(held.slice(0, end + 1))
    if (taker.isBetweenRows()) place = "rows"
    return end + 1
  }

  /** Reads what rows there are as a whole; where it stopped. */
  function readRows(): number {
    let at = 0
    for (;;) {
      const start = skipBlanks(held, at)
      if (held.length - start < shortestBeginning) return at
      if (!isRow(held, start)) break
      const close = held.indexOf(rowEnds, start)
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
