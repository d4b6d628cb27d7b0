import { read, set_cptable } from "@e965/xlsx"
import type { CellObject } from "@e965/xlsx"
import { failure, type ParseFailure } from "../parser.ts"
import type { Block } from "../parser.ts"
import { SheetRows } from "../table/sheet-rows.ts"
import type { SheetCell } from "../table/sheet-rows.ts"
import { maxBlockCharacters } from "../parser.ts"
import { splitText } from "../text/split-text.ts"

const firstRecord = 0x09
const versions = new Set<number | undefined>([0x00, 0x02, 0x04, 0x08])

/** Excel 2 to 2003, sheet by sheet: rows as Excel shows them, then comments. */
export async function* readXls(workbook: Buffer): AsyncGenerator<Block, void, undefined> {
  // Excel's records begin like this in every version; the library would try other formats
  if (workbook[0] !== firstRecord || !versions.has(workbook[1])) throw damaged()
  if (!isUnicode(workbook)) set_cptable(await import("@e965/xlsx/dist/cpexcel.full.mjs"))
  const { SheetNames: names, Sheets: sheets } = parse(workbook)
  if (names.length === 0) throw damaged()
  for (const name of names) {
    const data = (sheets[name]?.["!data"] ?? []) as ((CellObject | undefined)[] | undefined)[]
    const rows = new SheetRows(name)
    const comments: Block[] = []
    for (const [index, row] of data.entries()) {
      if (!row) continue
      const cells: SheetCell[] = []
      for (const [column, cell] of row.entries()) {
        if (!cell) continue
        const text = cell.w ?? (cell.v === undefined ? "" : String(cell.v))
        if (cell.t !== "z" && text !== "") cells.push({ column, text })
        for (const { t: comment } of cell.c ?? []) {
          for (const part of splitText(`Comment: ${comment.trim()}`, maxBlockCharacters)) {
            comments.push({ kind: "paragraph", text: part, location: { sheet: name, row: index + 1 } })
          }
        }
      }
      yield* rows.blocks(index + 1, cells)
    }
    yield* comments
  }
}

/** Excel 97 and later need no tables of code pages, which take longer to load than most workbooks to read. */
const isUnicode = (workbook: Buffer): boolean =>
  workbook[1] === 0x08 && workbook.length > 6 && workbook.readUInt16LE(4) === 0x0600

function parse(workbook: Buffer): ReturnType<typeof read> {
  try {
    return read(workbook, {
      type: "buffer",
      dense: true,
      cellFormula: false,
      cellHTML: false,
      cellStyles: false,
      cellText: true,
      bookVBA: false,
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : ""
    if (/password|encrypt/i.test(reason)) {
      throw failure("encrypted_workbook")
    }
    throw damaged()
  }
}

function damaged(): ParseFailure {
  return failure("workbook_damaged")
}
