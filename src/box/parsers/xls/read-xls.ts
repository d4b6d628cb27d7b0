import { read, set_cptable } from "@e965/xlsx"
import type { CellObject, Range } from "@e965/xlsx"
import { failure, type ParseFailure } from "../parser.ts"
import type { Block } from "../parser.ts"
import { decryptWorkbook } from "./decrypt-workbook.ts"
import { SheetRows } from "../table/sheet-rows.ts"
import type { SheetCell } from "../table/sheet-rows.ts"
import { maxBlockCharacters } from "../parser.ts"
import { splitText } from "../text/split-text.ts"

const firstRecord = 0x09
const versions = new Set<number | undefined>([0x00, 0x02, 0x04, 0x08])

/** A sheet of an Excel workbook: its rows of cells, if any, and its merged cells. */
export interface XlsSheet {
  name: string
  rows: readonly (readonly (CellObject | undefined)[] | undefined)[]
  merged: readonly Range[]
}

/** Opens a workbook of Excel 2 to 2003. */
export async function openXls(
  workbook: Buffer,
  password?: string,
): Promise<{ sheets: XlsSheet[]; date1904: boolean }> {
  // Excel's records start like this in every version. The library would otherwise try other formats.
  if (workbook[0] !== firstRecord || !versions.has(workbook[1])) throw damaged()
  decryptWorkbook(workbook, password)
  if (!isUnicode(workbook)) set_cptable(await import("@e965/xlsx/dist/cpexcel.full.mjs"))
  const { SheetNames: names, Sheets: sheets, Workbook: properties } = parse(workbook)
  if (names.length === 0) throw damaged()
  return {
    date1904: properties?.WBProps?.date1904 === true,
    sheets: names.map((name) => ({
      name,
      rows: (sheets[name]?.["!data"] ?? []) as XlsSheet["rows"],
      merged: sheets[name]?.["!merges"] ?? [],
    })),
  }
}

/** Yields the blocks of each sheet: rows as Excel displays them, then comments. */
export async function* readXls(workbook: Buffer, password?: string): AsyncGenerator<Block, void, undefined> {
  for (const { name, rows: data } of (await openXls(workbook, password)).sheets) {
    const rows = new SheetRows(name)
    const comments: Block[] = []
    for (const [index, row] of data.entries()) {
      if (!row) continue
      const cells: SheetCell[] = []
      for (const [column, cell] of row.entries()) {
        if (!cell) continue
        const text = cell.w ?? (cell.v === undefined ? "" : String(cell.v))
        if (cell.t !== "z" && text !== "") cells.push({ column, value: text })
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

/** Excel 97 and later need no code page tables, which take longer to load than most workbooks take to read. */
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
      cellNF: true,
      bookVBA: false,
    })
  } catch {
    throw damaged()
  }
}

function damaged(): ParseFailure {
  return failure("workbook_damaged")
}
