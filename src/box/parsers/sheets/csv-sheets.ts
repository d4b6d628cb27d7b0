import { csvRows } from "../formats/csv.ts"
import { maxCellLength, type SheetsReader } from "./sheet-rows.ts"

/** Reads character-separated values, which are all texts. */
export const csvSheets: SheetsReader = {
  async *read({ file, name }) {
    for await (const rows of csvRows(file, name)) {
      for (const { cells } of rows) {
        for (let column = 0; column < cells.length; column++) {
          const cell = cells[column] ?? ""
          if (cell.length > maxCellLength) cells[column] = cell.slice(0, maxCellLength)
        }
      }
      yield { sheet: null, rows }
    }
  },
}
