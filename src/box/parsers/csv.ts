import { extname } from "node:path"
import { readRecords } from "./csv/read-records.ts"
import type { CsvRecord } from "./csv/read-records.ts"
import { separatorLine, sniffDelimiter } from "./csv/sniff-delimiter.ts"
import { maxBlockCharacters } from "./parser.ts"
import type { Block, Parser } from "./parser.ts"
import { readText } from "./text/read-text.ts"
import { splitText } from "./text/split-text.ts"

/** Character-separated values: a block for each row, the first one as header when it looks like one. */
export const csv: Parser = {
  async *parse({ path, name }, context) {
    const chunks = readText(path)
    const first = await chunks.next()
    const head = first.done ? "" : first.value
    const delimiter = sniffDelimiter(head, extname(name).toLowerCase())
    let rowNumber = 0
    let repaired = 0
    for await (const records of readRecords(prepend(head, chunks), delimiter)) {
      for (const record of records) {
        if (record.line === 1 && separatorLine.test(record.cells.join(delimiter))) continue
        rowNumber++
        if (record.repaired) repaired++
        const kind = rowNumber === 1 && looksLikeHeader(record.cells) ? "table-header" : "table-row"
        yield* rowBlocks(kind, record, rowNumber)
      }
    }
    if (repaired > 0) context.note(`Quotes don't match in ${repaired} rows; they were read line by line.`)
  },
}

async function* prepend(head: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield head
  yield* rest
}

function* rowBlocks(kind: Block["kind"], { cells, line }: CsvRecord, row: number): Generator<Block> {
  if (cells.every((cell) => cell.trim() === "")) return
  const text = collapse(cells.join(" | "))
  const location = { row, line }
  if (text.length <= maxBlockCharacters) yield { kind, text, location }
  else for (const part of splitText(text, maxBlockCharacters)) yield { kind, text: part, location }
}

function collapse(text: string): string {
  return /\s\s|[\t\r\n]|^\s|\s$/.test(text) ? text.replace(/\s+/g, " ").trim() : text
}

/** Names of columns are several, different from each other, not empty, and neither numbers nor dates. */
function looksLikeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim())
  if (names.length < 2) return false
  return (
    names.every((name) => name !== "" && !/^[\d\s.,:/+%€$£-]+$/.test(name)) &&
    new Set(names).size === names.length
  )
}
