import { reason } from "../../../shared/contract/file-reasons.ts"
import { csvRows } from "../csv/csv-rows.ts"
import type { Parser } from "../parser.ts"
import { looksLikeHeader, rowBlocks } from "../table/row-blocks.ts"

/** Character-separated values: a block for each row, with the first row as header if it looks like one. */
export const csv: Parser = {
  async *parse({ file, name }, context) {
    let repaired = 0
    for await (const records of csvRows(file, name)) {
      for (const record of records) {
        if (record.repaired) repaired++
        const kind = record.row === 1 && looksLikeHeader(record.cells) ? "table-header" : "table-row"
        yield* rowBlocks(kind, record.cells, {
          row: record.row,
          ...(!record.repaired && { column: 1 }),
          line: record.line,
        })
      }
    }
    if (repaired > 0) context.note(reason("rows_repaired", { count: repaired }))
  },
}
