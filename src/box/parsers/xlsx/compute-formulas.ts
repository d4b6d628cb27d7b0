import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import type * as IronCalc from "@ironcalc/wasm"
import { createTimeCheck } from "../document/left-out-parts.ts"
import { SheetReader, type CellReading } from "./sheet-reader.ts"
import type { Workbook } from "./workbook.ts"

/** Maximum cells and formulas of a workbook whose formulas are computed, and cells to which the formulas refer, each reference counted. */
const maxCells = 100_000
const maxFormulas = 10_000
const maxReferredCells = 1_000_000
const maxFormulaLength = 2000
/** Maximum parentheses inside each other. */
const maxDepth = 50
/** Processor time in ms after which the cells are no longer passed to the engine. */
const maxPassMs = 10_000
const maxSheets = 100

/** Functions whose time and memory depend on the cells to which they refer only, and whose result doesn't depend on the time. */
const functions = new Set(
  (
    "ABS AND AVERAGE AVERAGEA AVERAGEIF AVERAGEIFS CEILING CHOOSE COLUMN CONCAT CONCATENATE COUNT COUNTA COUNTBLANK COUNTIF COUNTIFS " +
    "DATE DATEDIF DATEVALUE DAY DAYS DAYS360 EDATE EOMONTH EXACT EXP FIND FLOOR HLOOKUP HOUR IF IFERROR IFNA IFS INDEX INT ISBLANK " +
    "ISERR ISERROR ISNA ISNUMBER ISTEXT LARGE LEFT LEN LN LOG LOG10 LOOKUP LOWER MATCH MAX MAXIFS MEDIAN MID MIN MINIFS MINUTE MOD " +
    "MONTH MROUND N NETWORKDAYS NOT OR PI PMT POWER PRODUCT PROPER QUOTIENT RANK RIGHT ROUND ROUNDDOWN ROUNDUP ROW SEARCH SECOND SIGN " +
    "SMALL SQRT STDEV SUBSTITUTE SUBTOTAL SUM SUMIF SUMIFS SUMPRODUCT SWITCH TEXT TIME TRIM TRUNC UPPER VALUE VAR VLOOKUP WEEKDAY " +
    "WEEKNUM WORKDAY XLOOKUP XMATCH XOR YEAR YEARFRAC"
  ).split(" "),
)

/** The number of a cell type in the engine. */
const cellTypes = { number: 1, text: 2, boolean: 4 }
/** Shows all digits that Excel keeps. */
const allDigits = "0.00000000000000E+00"

/** The text that the sheet would show for a formula; undefined if it has no result. */
export type ComputedTexts = (sheet: number, row: number, column: number) => string | undefined

/** A cell as the engine receives it: as a person would type it. */
interface CellInput {
  input: string
  /** Set if it is a formula whose value isn't stored. */
  style?: number
  /** Whether the engine can't be given its value. */
  isUnknown?: true
}

interface SheetInput {
  cells: { row: number; column: number; cell: CellInput }[]
  lastRow: number
  lastColumn: number
}

/**
 * Computes the formulas of a workbook whose values aren't stored, from the values that are. Returns undefined if one of them uses something
 * that isn't computed, because the others could depend on it, or if the workbook is too large.
 */
export async function computeFormulas(workbook: Workbook): Promise<ComputedTexts | undefined> {
  if (workbook.sheets.length > maxSheets || workbook.formats.date1904) return undefined
  const sheets = await readInputs(workbook)
  if (!sheets || !isComputable(sheets)) return undefined
  try {
    const { Model } = await loadEngine()
    using model = new Model("workbook", "en", "UTC", "en")
    return evaluate(model, sheets, workbook)
  } catch {
    // Its memory is in an unknown state, for example after a chain of references that is too long for its stack.
    engine = undefined
    return undefined
  }
}

type Engine = typeof IronCalc

let engine: Promise<Engine> | undefined
let loads = 0

/** Loads the engine, which can't be used any more after an error, as a new module. */
const loadEngine = (): Promise<Engine> => (engine ??= load())

async function load(): Promise<Engine> {
  const { resolve } = createRequire(import.meta.url)
  const url = pathToFileURL(resolve("@ironcalc/wasm"))
  url.search = String(++loads)
  const loaded = (await import(/* @vite-ignore */ url.href)) as Engine
  loaded.initSync({ module: await readFile(resolve("@ironcalc/wasm/wasm_bg.wasm")) })
  return loaded
}

async function readInputs({ file, sheets, texts }: Workbook): Promise<SheetInput[] | undefined> {
  const inputs: SheetInput[] = []
  let count = 0
  for (const { part } of sheets) {
    const reader = new SheetReader(texts, reading)
    const input: SheetInput = { cells: [], lastRow: 0, lastColumn: 0 }
    for await (const _ of file.steps(part, reader)) {
      for (const { row, cells } of reader.take()) {
        if ((count += cells.length) > maxCells) return undefined
        for (const { column, value: cell } of cells) {
          if (column < 0 || cell.isUnknown) return undefined
          input.cells.push({ row, column, cell })
          input.lastColumn = Math.max(input.lastColumn, column + 1)
        }
        input.lastRow = Math.max(input.lastRow, row)
      }
    }
    inputs.push(input)
  }
  return inputs
}

const toText = (text: string): CellInput => ({ input: `'${text}` })

/** Formulas with these errors as their value. */
const errors: Readonly<Record<string, string>> = { "#N/A": "=NA()", "#DIV/0!": "=1/0" }

const reading: CellReading<CellInput> = {
  text: toText,
  number: (value) => (Number.isFinite(Number(value)) ? { input: value.trim() } : toText(value)),
  boolean: (value) => ({ input: value ? "TRUE" : "FALSE" }),
  date: () => ({ input: "", isUnknown: true }),
  error: (value) => (value in errors ? { input: errors[value] ?? "" } : { input: "", isUnknown: true }),
  formula: (formula, { style }) => ({ input: formula, style }),
}

function isComputable(sheets: readonly SheetInput[]): boolean {
  const lastRow = Math.max(...sheets.map((sheet) => sheet.lastRow))
  const lastColumn = Math.max(...sheets.map((sheet) => sheet.lastColumn))
  let formulas = 0
  let referred = 0
  for (const { cells } of sheets) {
    for (const { cell } of cells) {
      if (cell.style === undefined) continue
      const cost = countReferredCells(cell.input, lastRow, lastColumn)
      if (cost === undefined || ++formulas > maxFormulas || (referred += cost) > maxReferredCells)
        return false
    }
  }
  return true
}

const cellReference = /^\$?[A-Z]{1,3}\$?\d{1,7}$/i
const rangeReference = /(\$?[A-Z]{0,3}\$?\d{0,7}):(\$?[A-Z]{0,3}\$?\d{0,7})/gi
const words = /[\p{L}_\\$][\p{L}\p{N}_.$\\]*/gu

/** Returns the number of cells to which a formula refers; undefined if it contains anything other than known functions and references. */
function countReferredCells(formula: string, lastRow: number, lastColumn: number): number | undefined {
  if (formula.length > maxFormulaLength) return undefined
  const plain = formula
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/'(?:[^']|'')*'!/g, "")
    .replaceAll(/[\p{L}\p{N}_.]+!/gu, "")
    .replaceAll(/_xlfn\.(?:_xlws\.)?/g, "")
  if (/[[\]{}#@']/.test(plain) || getDepth(plain) > maxDepth) return undefined
  let cost = 1
  const withoutRanges = plain.replaceAll(rangeReference, (_, from: string, to: string) => {
    cost += countCells(from, to, lastRow, lastColumn)
    return "0"
  })
  for (const { 0: word, index } of withoutRanges.matchAll(words)) {
    const isFunction = /^\s*\(/.test(withoutRanges.slice(index + word.length, index + word.length + 20))
    const isKnown = isFunction
      ? functions.has(word.toUpperCase())
      : cellReference.test(word) || /^(?:TRUE|FALSE)$/i.test(word)
    if (!isKnown) return undefined
    cost++
  }
  return cost
}

function getDepth(formula: string): number {
  let depth = 0
  let deepest = 0
  for (const character of formula) {
    if (character === "(") deepest = Math.max(deepest, ++depth)
    else if (character === ")") depth--
  }
  return deepest
}

/** The engine reads no cells below and to the right of the last ones. */
function countCells(from: string, to: string, lastRow: number, lastColumn: number): number {
  const extent = (pattern: RegExp, last: number, parse: (written: string) => number) => {
    const [start, end] = [from, to].map((reference) => pattern.exec(reference)?.[0])
    if (start === undefined || end === undefined) return last
    const [first, final] = [parse(start), parse(end)].toSorted((a, b) => a - b)
    return Math.max(0, Math.min(final ?? last, last) - (first ?? 1) + 1)
  }
  return (
    extent(/\d+/, lastRow, Number) *
    extent(/[A-Z]+/i, lastColumn, (letters) =>
      Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0),
    )
  )
}

/** Results of the engine that tell of what it can't compute. Formulas that depend on such a cell may have caught the error. */
const unsupported = new Set(["#NAME?", "#ERROR!", "#N/IMPL!"])

function evaluate(
  model: IronCalc.Model,
  sheets: readonly SheetInput[],
  workbook: Workbook,
): ComputedTexts | undefined {
  const isTooSlow = createTimeCheck(maxPassMs)
  model.pauseEvaluation()
  for (let index = 1; index < sheets.length; index++) model.newSheet()
  // Their first names are different from all others.
  for (const [index, { name }] of workbook.sheets.entries())
    model.renameSheet(index, `${index} ${name}`.slice(0, 31))
  for (const [index, { name }] of workbook.sheets.entries()) model.renameSheet(index, name)
  for (const [index, { cells }] of sheets.entries()) {
    for (const { row, column, cell } of cells) model.setUserInput(index, row, column + 1, cell.input)
    if (isTooSlow()) return undefined
  }
  for (const [index, { cells }] of sheets.entries()) {
    for (const { row, column, cell } of cells) {
      if (cell.style === undefined) continue
      const area = { sheet: index, row, column: column + 1, width: 1, height: 1 }
      model.updateRangeStyle(area, "num_fmt", allDigits)
    }
  }
  if (isTooSlow()) return undefined
  model.evaluate()
  const computed = new Map<string, string>()
  for (const [index, { cells }] of sheets.entries()) {
    for (const { row, column, cell } of cells) {
      if (cell.style === undefined) continue
      const result = model.getFormattedCellValue(index, row, column + 1)
      if (unsupported.has(result)) return undefined
      const type = model.getCellType(index, row, column + 1)
      if (type === cellTypes.number && result !== "")
        computed.set(`${index} ${row} ${column}`, workbook.formats.show(String(Number(result)), cell.style))
      else if (type === cellTypes.text || type === cellTypes.boolean)
        computed.set(`${index} ${row} ${column}`, result)
    }
  }
  return (sheet, row, column) => computed.get(`${sheet} ${row} ${column}`)
}
