import { extname } from "node:path"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { readRecords } from "../csv/read-records.ts"
import { separatorLine, sniffDelimiter } from "../csv/sniff-delimiter.ts"
import type { Parser } from "../parser.ts"
import { looksLikeHeader, rowBlocks } from "../table/row-blocks.ts"
import { readText } from "../text/read-text.ts"

/** Character-separated values: a block for each row, the first one as header when it looks like one. */
export const csv: Parser = {
  async *parse({ file, name }, context) {
    const chunks = readText(file)
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
        yield* rowBlocks(kind, record.cells, { row: rowNumber, line: record.line })
      }
    }
    if (repaired > 0) context.note(reason("rows_repaired", { count: repaired }))
  },
}

async function* prepend(head: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield head
  yield* rest
}
