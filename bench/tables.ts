import { mkdir, mkdtemp, open, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spawnNodeChild, type Child, type SpawnChild } from "../src/box/core/children/child.ts"
import { createTableAsker } from "../src/box/features/tables/asking/table-asker.ts"
import type { ParserInput } from "../src/box/parsers/parser.ts"
import { createTableMaker } from "../src/box/features/tables/making/table-maker.ts"
import { openDocument } from "../src/box/parsers/document/opened-document.ts"
import { xlsxBytes } from "../src/box/parsers/testing/office-files.ts"
import { xmlSteps } from "../src/box/parsers/xml/xml-events.ts"
import { ZipArchive } from "../src/box/parsers/zip/zip-archive.ts"
import { maxResidentMb, residentMb } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const rows = 700_000
const rowsOfWorkbook = 100_000
/** Maximum memory in MB that the box itself may keep, for messages and code that were new to it. */
const maxLeftMb = 20
const columns = "id supplier date amount vat quantity paid country code note".split(" ")

/** Rows as German and Italian accounting programs write them. */
const csvRow = (row: number): string =>
  [
    row,
    `Supplier ${row % 997}`,
    `${String(1 + (row % 28)).padStart(2, "0")}.${String(1 + (row % 12)).padStart(2, "0")}.2025`,
    `${row % 5000},${String(row % 100).padStart(2, "0")}`,
    "0,22",
    row % 40,
    row % 2 === 0 ? "ja" : "nein",
    ["IT", "DE", "AT"][row % 3],
    String(row).padStart(16, "0"),
    `note number ${row % 50}`,
  ].join(";")

async function writeCsv(path: string): Promise<void> {
  await using file = await open(path, "w")
  await file.write(`${columns.join(";")}\n`)
  const batchSize = 10_000
  for (let row = 0; row < rows; row += batchSize)
    await file.write(`${Array.from({ length: batchSize }, (_, index) => csvRow(row + index)).join("\n")}\n`)
}

function workbook(): Buffer {
  const cell = (row: number, column: number) =>
    column % 3 === 1
      ? `<c t="inlineStr"><is><t>Supplier ${row % 997}</t></is></c>`
      : `<c><v>${row * column}.5</v></c>`
  const lines = Array.from(
    { length: rowsOfWorkbook },
    (_, row) => `<row>${columns.map((_, column) => cell(row, column)).join("")}</row>`,
  )
  return xlsxBytes(lines.join(""))
}

/** A sheet as Excel writes it: with cell references, date styles and shared strings. */
function excelWorkbook(): Buffer {
  const texts = new Map<string, number>()
  const toNumber = (text: string): number => {
    const number = texts.get(text) ?? texts.size
    texts.set(text, number)
    return number
  }
  const line = (row: number, cells: readonly string[]) =>
    `<row r="${row}" spans="1:10">${cells.join("")}</row>`
  const cell = (row: number, column: number, value: unknown, more = "") =>
    `<c r="${"ABCDEFGHIJ"[column]}${row}"${more}><v>${String(value)}</v></c>`
  const text = (row: number, column: number, words: string) => cell(row, column, toNumber(words), ' t="s"')
  const header = line(
    1,
    columns.map((name, column) => text(1, column, name)),
  )
  const lines = Array.from({ length: rows }, (_, index) => {
    const row = index + 2
    return line(row, [
      cell(row, 0, index),
      text(row, 1, `Supplier ${index % 997}`),
      cell(row, 2, 45_658 + (index % 336), ' s="1"'),
      cell(row, 3, (index % 5000) + (index % 100) / 100),
      cell(row, 4, 0.22),
      cell(row, 5, index % 40),
      cell(row, 6, index % 2, ' t="b"'),
      text(row, 7, ["IT", "DE", "AT"][index % 3] ?? ""),
      text(row, 8, String(index % 50_000).padStart(16, "0")),
      text(row, 9, `note number ${index % 50}`),
    ])
  })
  return xlsxBytes([header, ...lines].join(""), {
    "xl/sharedStrings.xml": `<sst>${Array.from(texts.keys(), (each) => `<si><t>${each}</t></si>`).join("")}</sst>`,
    "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
  })
}

/** Unzips a sheet and parses its XML without using it: the minimum cost of any reading with that library. */
async function bareParse(path: string): Promise<void> {
  await using opened = await openDocument({ path, name: "excel.xlsx" })
  const archive = await ZipArchive.open(opened.input.file)
  for await (const _ of xmlSteps(archive.read("xl/worksheets/sheet1.xml"), { open: () => undefined }));
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

/** Starts processes and records them, so that they can be measured. */
const recordChildren =
  (children: Child[]): SpawnChild =>
  (options) => {
    const child = spawnNodeChild(options)
    children.push(child)
    return child
  }
const maxPerSource = (children: readonly Child[]): number =>
  Math.max(...children.map(({ pid }) => maxResidentMb(pid ?? 0)))

const queries = {
  sum: "SELECT sum(amount) FROM invoices",
  "sum for each of 997 groups":
    "SELECT supplier, sum(amount) FROM invoices GROUP BY supplier ORDER BY 2 DESC",
  "count with LIKE": "SELECT count(*) FROM invoices WHERE note LIKE '%7'",
}

/** Large spreadsheets converted to tables in one process, and queried in another. */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-tables-"))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  await mkdir(join(directory, "making"))
  const making: Child[] = []
  const asking: Child[] = []
  const maker = stack.use(createTableMaker(recordChildren(making), join(directory, "making")))
  const asker = stack.use(createTableAsker(recordChildren(asking)))
  const make = (input: ParserInput, path: string) => maker.make("bench", input, path, AbortSignal.any([]))
  const results: BenchResult[] = []

  const path = join(directory, "invoices.sqlite")
  await writeCsv(join(directory, "invoices.csv"))
  await writeFile(join(directory, "a.xlsx"), workbook())
  const excel = join(directory, "excel.xlsx")
  await writeFile(excel, excelWorkbook())
  const floor = await seconds(() => bareParse(excel))
  const beforeMb = residentMb(process.pid)
  let found: Awaited<ReturnType<typeof maker.make>> | undefined
  const csv = await seconds(async () => {
    found = await make({ path: join(directory, "invoices.csv"), name: "invoices.csv" }, path)
  })
  const table = found?.tables[0]
  if (table?.rows !== rows) throw new Error("not all rows were read")
  results.push(
    {
      name: `csv with ${rows} rows × 10 columns until ready`,
      value: csv,
      unit: "s",
      target: "≤5",
      ok: csv <= 5,
    },
    { name: "that csv on disk", value: (await stat(path)).size / 2 ** 20, unit: "MB" },
  )

  const xlsx = await seconds(() =>
    make({ path: join(directory, "a.xlsx"), name: "a.xlsx" }, join(directory, "a.sqlite")),
  )
  results.push({ name: `xlsx with ${rowsOfWorkbook} rows × 10 columns until ready`, value: xlsx, unit: "s" })

  const large = await seconds(async () => {
    found = await make({ path: excel, name: "excel.xlsx" }, join(directory, "excel.sqlite"))
  })
  if (found?.tables[0]?.rows !== rows) throw new Error("not all rows of the workbook were read")
  results.push({
    name: `xlsx with ${rows} rows × 10 columns written by Excel until ready`,
    value: large,
    unit: "s",
    floor,
    target: "≤5",
    ok: large <= 5,
  })

  const files = [{ path, tables: [{ key: table.key, name: "invoices", columns: table.columns }] }]
  for (const [name, sql] of Object.entries(queries)) {
    const times: number[] = []
    for (let turn = 0; turn < 5; turn++)
      times.push((await asker.ask("bench", { files, sql, limit: 1000 }))?.ms ?? Infinity)
    const best = Math.min(...times)
    results.push({
      name: `${name}, ${rows} rows`,
      value: best,
      unit: "ms",
      target: "≤200",
      ok: best <= 200,
    })
  }

  results.push(
    { name: "peak memory of the process that creates tables", value: maxPerSource(making), unit: "MB" },
    { name: "peak memory of the process that queries tables", value: maxPerSource(asking), unit: "MB" },
  )
  await Promise.all([...making, ...asking].map(({ exited }) => exited)) // they end after 30 s without work
  const leftMb = residentMb(process.pid) - beforeMb
  results.push({
    name: "memory that stays in the box after both ended",
    value: Math.max(0, leftMb),
    unit: "MB",
    target: `≤${maxLeftMb}`,
    ok: leftMb <= maxLeftMb,
  })
  return results
}

if (import.meta.main) printResults(await run())
