import { extname } from "node:path"
import type { DocumentFile } from "../document/document-file.ts"
import { readText } from "../text/read-text.ts"
import { readRecords, type CsvRecord } from "./read-records.ts"
import { separatorLine, sniffDelimiter } from "./sniff-delimiter.ts"

export interface CsvRow extends CsvRecord {
  /** Counted from 1, without empty lines. */
  row: number
}

/** Yields rows of character-separated values, in a batch for each chunk. Detects the separator. */
export async function* csvRows(file: DocumentFile, name: string): AsyncGenerator<CsvRow[], void, undefined> {
  const chunks = readText(file)
  const first = await chunks.next()
  const head = first.done ? "" : first.value
  const delimiter = sniffDelimiter(head, extname(name).toLowerCase())
  let row = 0
  for await (const records of readRecords(prepend(head, chunks), delimiter)) {
    const rows = records.filter(({ line, cells }) => line !== 1 || !separatorLine.test(cells.join(delimiter)))
    yield rows.map((record) => Object.assign(record, { row: ++row }))
  }
}

async function* prepend(head: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield head
  yield* rest
}
