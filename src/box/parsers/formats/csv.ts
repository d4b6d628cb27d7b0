import { extname } from "node:path"
import { reason } from "../../../shared/contract/file-reasons.ts"
import type { DocumentFile } from "../document/document-file.ts"
import type { ParseContext, Parser } from "../parser.ts"
import { maxCellLength, type SheetsReader } from "../sheets/sheet-rows.ts"
import { looksLikeHeader, rowBlocks } from "../table/row-blocks.ts"
import { cutPoint } from "../text/split-text.ts"
import { readText } from "../text/text-encoding.ts"

interface CsvRecord {
  cells: string[]
  /** Line of the file on which the record starts, from 1. */
  line: number
  /** Whether its quotes don't match. The record is then this one line, cut at each delimiter. */
  repaired: boolean
}

/** A quoted cell longer than this means that a quote was never closed. */
const maxRecordCharacters = 200_000

/**
 * Yields the records of a text in RFC 4180 format, in a batch for each chunk. A record whose quotes don't match ends with its line and
 * reading continues with the next line, so that a stray quote never swallows the rest.
 */
async function* readRecords(
  chunks: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRecord[], void, undefined> {
  let text = ""
  let line = 1
  const take = (final: boolean): CsvRecord[] => {
    const records: CsvRecord[] = []
    let position = 0
    while (position < text.length) {
      const read = readRecord(text, position, delimiter, final)
      if (!read) break
      if (read.cells.length > 1 || read.cells[0]?.trim()) {
        records.push({ cells: read.cells, line, repaired: read.repaired })
      }
      line += read.lines
      position = read.end
    }
    text = text.slice(position)
    return records
  }
  for await (const chunk of chunks) {
    // Classic Macintosh line ends, or a CR whose LF is in the next chunk: that only adds an empty line.
    text += chunk.includes("\n") || !chunk.includes("\r") ? chunk : chunk.replaceAll("\r", "\n")
    yield take(false)
  }
  yield take(true)
}

interface Read {
  cells: string[]
  /** Index after the record and its line ending. */
  end: number
  /** Number of line endings in it. */
  lines: number
  repaired: boolean
}

/** Reads the record that starts at `start`; undefined when it isn't complete yet. */
function readRecord(text: string, start: number, delimiter: string, final: boolean): Read | undefined {
  const tooLong = text.length - start > maxRecordCharacters
  const lineFeed = text.indexOf("\n", start)
  if (lineFeed < 0 && !final && !tooLong) return undefined
  const lineEnd = lineFeed >= 0 ? lineFeed : start + cutPoint(text.slice(start), maxRecordCharacters)
  const line = stripCarriageReturn(text.slice(start, lineEnd))
  const next = lineFeed >= 0 ? lineFeed + 1 : lineEnd
  const lines = lineFeed >= 0 ? 1 : 0
  if (!line.includes('"')) return { cells: line.split(delimiter), end: next, lines, repaired: false }
  const quoted = readQuoted(text, start, delimiter, final)
  if (quoted === "incomplete" && !tooLong) return undefined
  if (typeof quoted === "object") return quoted
  return { cells: line.replaceAll('"', "").split(delimiter), end: next, lines, repaired: true }
}

/** Reads a record with quoted cells. Returns "mismatch" when a closing quote isn't followed by a delimiter or line ending. */
function readQuoted(
  text: string,
  start: number,
  delimiter: string,
  final: boolean,
): Read | "incomplete" | "mismatch" {
  const cells: string[] = []
  let position = start
  let lineFeed = -1
  let lines = 0
  for (;;) {
    let end: number
    if (text[position] === '"') {
      end = closingQuote(text, position + 1) + 1
      if (end === 0 || (end === text.length && !final)) return final ? "mismatch" : "incomplete"
      const cell = text.slice(position + 1, end - 1)
      lines += cell.split("\n").length - 1
      cells.push(cell.replaceAll('""', '"'))
      if (text[end] === "\r") end++
    } else {
      if (lineFeed < position) lineFeed = text.indexOf("\n", position)
      if (lineFeed < 0 && !final) return "incomplete"
      const rest = text.slice(position, lineFeed < 0 ? text.length : lineFeed)
      const length = rest.indexOf(delimiter)
      end = position + (length < 0 ? rest.length : length)
      cells.push(length < 0 ? stripCarriageReturn(rest) : rest.slice(0, length))
    }
    if (end >= text.length) return { cells, end, lines, repaired: false }
    if (text[end] === "\n") return { cells, end: end + 1, lines: lines + 1, repaired: false }
    if (!text.startsWith(delimiter, end)) return "mismatch"
    position = end + delimiter.length
  }
}

function closingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start)
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2)
  return quote
}

function stripCarriageReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line
}

const candidates = [",", ";", "\t", "|"]
const usual: Record<string, string> = { ".tsv": "\t", ".tab": "\t", ".psv": "|" }
const sampleCharacters = 16_384
const sampleLines = 100

/** A delimiter that no text contains, for files with one column. */
const noDelimiter = "\uFFFF"

/** Excel's own notation for the delimiter, on the first line. */
const separatorLine = /^sep=.?$/i

/** How the records of a file are split. */
interface Dialect {
  delimiter: string
  /** Number of cells of most records, without empty ones at the end; 0 if unknown. */
  columns: number
}

const emptyEnd = /[,;\t|\s]+$/
const decimal = /^[-+]?\d+,\d+$/
const amount = /^[-+]?[\p{Sc}\s]*[-+]?\d{1,3}(?:[.,' ]?\d{3})*(?:[.,]\d+)?[\s%\p{Sc}]*$/u

/**
 * Returns the dialect in which the first lines have most nearly the same number of cells, and in which the cells look like single values.
 * Both are needed: `12,5;7,3` has as many commas on every line as semicolons, but `5;7` is no value (van den Burg, Nazábal and Sutton 2019,
 * "Wrangling messy CSV files by detecting row and type patterns").
 */
function sniffDialect(head: string, extension: string, chosen?: string | null): Dialect {
  const named = chosen ?? /^sep=(.)\r?\n/i.exec(head)?.[1]
  const lines = getSample(head)
  const filled = lines.map((line) => line.replace(emptyEnd, ""))
  const usualHere = usual[extension]
  let best: Dialect & { score: number } = { delimiter: usualHere ?? ",", columns: 0, score: 0 }
  for (const delimiter of named ? [named] : candidates) {
    const rows = lines.map((line) => line.split(delimiter))
    const bonus = delimiter === usualHere ? 10 : 1
    const score = scoreConsistency(rows) * scoreValues(rows) * bonus
    const columns = findCommonest(filled.map((line) => line.split(delimiter).length))
    if (score > best.score || named) best = { delimiter, columns, score }
  }
  if (named || usualHere || best.delimiter !== "," || !isOneColumn(filled)) return best
  return { delimiter: noDelimiter, columns: 1 }
}

/** Returns the first lines that aren't empty, with a letter in place of each quoted text. */
function getSample(head: string): string[] {
  const isCut = head.length > sampleCharacters
  const lines = head
    .slice(0, sampleCharacters)
    .replace(/(^|[,;\t|])[ ]*"(?:[^"]|"")*"/gm, "$1q")
    .split(/\r\n|\r|\n/)
  if (isCut && lines.length > 1) lines.pop()
  return lines.filter((line) => line.trim() !== "" && !separatorLine.test(line)).slice(0, sampleLines)
}

/** Returns a score that is higher the fewer different numbers of cells rows have, and the more cells. */
function scoreConsistency(rows: readonly string[][]): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1)
  let score = 0
  for (const [cells, count] of counts) score += count * Math.max(0.001, (cells - 1) / cells)
  return score / counts.size
}

/** Returns the share of cells that contain no other delimiter, except for commas in numbers and between words. */
function scoreValues(rows: readonly string[][]): number {
  let cells = 0
  let values = 0
  for (const row of rows) {
    for (const cell of row) {
      cells++
      if (isValue(cell.trim())) values++
    }
  }
  return values / cells
}

const isValue = (cell: string): boolean =>
  !/[;\t|]/.test(cell) && (!/,(?! |$)/.test(cell) || amount.test(cell) || decimal.test(cell))

function findCommonest(numbers: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  const [most] = [...counts].toSorted(([one, a], [other, b]) => b - a || other - one)
  return most?.[0] ?? 0
}

/** Whether the commas aren't delimiters: they belong to the numbers below a heading, or to sentences. */
function isOneColumn(lines: readonly string[]): boolean {
  const [first = "", ...rest] = lines
  if (rest.length === 0) return false
  if (!first.includes(",") && rest.every((line) => /^[-+]?\d+$/.test(line) || decimal.test(line))) return true
  const counts = lines.map((line) => line.split(",").length)
  const isSentence = lines.every((line) => !/,(?! )/.test(line))
  const agreeing = counts.filter((count) => count === findCommonest(counts)).length
  return isSentence && (findCommonest(counts) === 1 || agreeing < 0.7 * lines.length)
}

interface CsvRow extends CsvRecord {
  /** Counted from 1, without empty lines. */
  row: number
  /** Whether this is the first row that isn't a title or comment. */
  isFirst: boolean
}

const comment = /^(?:#\s|\/\/)/

/** Yields rows of character-separated values, in a batch for each chunk. Detects the separator. */
export async function* csvRows(
  file: DocumentFile,
  name: string,
  context?: Pick<ParseContext, "note" | "readAs">,
): AsyncGenerator<CsvRow[], void, undefined> {
  const chunks = readText(file, context)
  const first = await chunks.next()
  const head = first.done ? "" : first.value
  const { delimiter, columns } = sniffDialect(head, extname(name).toLowerCase(), context?.readAs?.delimiter)
  let row = 0
  let hasStarted = false
  const isFirst = ({ cells }: CsvRecord): boolean => {
    if (hasStarted) return false
    const width = cells.findLastIndex((cell) => cell.trim() !== "") + 1
    hasStarted = width >= Math.max(columns - 1, Math.min(columns, 2)) && !comment.test(cells[0] ?? "")
    return hasStarted
  }
  for await (const records of readRecords(prepend(head, chunks), delimiter)) {
    const rows = records.filter(({ line, cells }) => line !== 1 || !separatorLine.test(cells.join(delimiter)))
    yield rows.map((record) => Object.assign(record, { row: ++row, isFirst: isFirst(record) }))
  }
}

async function* prepend(head: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield head
  yield* rest
}

function withoutEmptyEnd(cells: string[]): string[] {
  if (cells.at(-1)?.trim() !== "") return cells
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1)
}

/** Character-separated values: a block for each row, with the first row below titles and comments as header if it looks like one. */
export const csv: Parser = {
  async *parse({ file, name }, context) {
    let repaired = 0
    for await (const records of csvRows(file, name, context)) {
      for (const record of records) {
        if (record.repaired) repaired++
        const cells = withoutEmptyEnd(record.cells)
        const kind = record.isFirst && looksLikeHeader(cells) ? "table-header" : "table-row"
        yield* rowBlocks(kind, cells, {
          row: record.row,
          ...(!record.repaired && { column: 1 }),
          line: record.line,
        })
      }
    }
    if (repaired > 0) context.note(reason("rows_repaired", { count: repaired }))
  },
}

/** Reads character-separated values, which are all texts. */
export const csvSheets: SheetsReader = {
  async *read({ file, name, readAs }, { note }) {
    for await (const rows of csvRows(file, name, { note, ...(readAs && { readAs }) })) {
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
