import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { utils, write } from "@e965/xlsx"
import { spawnNodeChild } from "../src/box/core/children/child.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { createDocumentReader } from "../src/box/parsers/process/document-reader.ts"
import { tiffPages } from "../src/box/parsers/image/decode-image.ts"
import type { Scan, ScannedPages } from "../src/box/parsers/parser.ts"
import { signedMessage } from "../src/box/parsers/testing/cms-bytes.ts"
import { makePdf } from "../src/box/parsers/testing/make-pdf.ts"
import { messageBytes, wordBytes } from "../src/box/parsers/testing/compound-files.ts"
import {
  docxBytes,
  openDocumentBytes,
  pptxBytes,
  xlsxBytes,
} from "../src/box/parsers/testing/office-files.ts"
import { corpus, otherReaders } from "./corpus-words.ts"
import { encodeInEveryFormat } from "./picture-formats.ts"
import { printResults, type BenchResult } from "./result.ts"

const paragraphs = 40_000
const rows = 100_000
const columns = 7
const vocabulary =
  "harbour ledger window copper signal garden motion paper village winter engine market stone".split(" ")

const words = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, index) => vocabulary[(seed * 7 + index * 3) % vocabulary.length]).join(
    " ",
  )

interface Sample {
  name: string
  bytes: Buffer
  /** The text that its author entered. */
  text: string
}

/** Large files of each format, with known text. */
function* samples(): Generator<Sample> {
  const lines = Array.from({ length: paragraphs }, (_, index) => `p${index} ${words(index, 30)}`)
  const text = lines.join("\n")
  const each = (wrap: (line: string) => string): string => lines.map(wrap).join("")
  yield { name: "a.docx", text, bytes: docxBytes(each((line) => `<w:p><w:r><w:t>${line}</w:t></w:r></w:p>`)) }
  const slides = Array.from({ length: 1000 }, (_, slide) =>
    lines
      .slice(slide * 40, slide * 40 + 40)
      .map((line) => `<p:sp><a:p><a:r><a:t>${line}</a:t></a:r></a:p></p:sp>`)
      .join(""),
  )
  yield { name: "a.pptx", text, bytes: pptxBytes(slides) }
  yield {
    name: "a.odt",
    text,
    bytes: openDocumentBytes(
      "text",
      each((line) => `<text:p>${line}</text:p>`),
    ),
  }
  yield { name: "a.rtf", text, bytes: Buffer.from(`{\\rtf1\\ansi ${each((line) => `${line}\\par\r\n`)}}`) }
  const body = `${lines.join("\r")}\r`
  const lengths = [6 + body.length, 0] as const
  yield { name: "a.doc", text, bytes: wordBytes({ pieces: ["Title\r", body], headings: {}, lengths }) }
  const pages = Array.from({ length: 1000 }, (_, page) => lines.slice(page * 40, page * 40 + 40))
  const lineSpecs = (page: string[]) =>
    page.flatMap((line) => line.match(/.{1,90}(?: |$)/g) ?? []).map((text) => ({ text, size: 6 }))
  yield { name: "a.pdf", text, bytes: makePdf(pages.map((page) => ({ lines: lineSpecs(page) }))) }
  yield { name: "a.msg", text, bytes: messageBytes({ "note.txt": Buffer.from(text) }) }
  yield { name: "a.txt.p7m", text, bytes: signedMessage(Buffer.from(text)) }
  yield { name: "a.txt", text, bytes: Buffer.from(text) }
  yield { name: "a.md", text, bytes: Buffer.from(lines.join("\n\n")) }
  yield {
    name: "a.html",
    text,
    bytes: Buffer.from(`<!doctype html><body>${each((line) => `<p>${line}</p>`)}`),
  }
  yield {
    name: "a.xml",
    text,
    bytes: Buffer.from(`<?xml version="1.0"?><a>${each((line) => `<p>${line}</p>`)}</a>`),
  }
  yield { name: "a.json", text, bytes: Buffer.from(JSON.stringify(lines)) }
  yield { name: "a.py", text, bytes: Buffer.from(lines.map((line) => `note = "${line}"`).join("\n\n")) }
  yield* tables()
}

function* tables(): Generator<Sample> {
  const cells = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => (column === 0 ? `r${row}` : words(row + column, 2))),
  )
  const text = cells.map((row) => row.join(" ")).join("\n")
  yield { name: "a.csv", text, bytes: Buffer.from(cells.map((row) => row.join(",")).join("\n")) }
  const inline = (cell: string): string => `<c t="inlineStr"><is><t>${cell}</t></is></c>`
  const rowXml = cells.map((row) => `<row>${row.map(inline).join("")}</row>`).join("")
  yield { name: "a.xlsx", text, bytes: xlsxBytes(rowXml) }
  const cellXml = (cell: string): string => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`
  const openRows = cells
    .map((row) => `<table:table-row>${row.map(cellXml).join("")}</table:table-row>`)
    .join("")
  const sheet = `<table:table table:name="A">${openRows}</table:table>`
  yield { name: "a.ods", text, bytes: openDocumentBytes("spreadsheet", sheet) }
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet(cells.slice(0, 50_000)), "A")
  const old = write(book, { type: "buffer", bookType: "biff8" }) as Buffer
  yield { name: "a.xls", text: text.split("\n").slice(0, 50_000).join("\n"), bytes: old }
}

/** Reads a file in a separate process, as the box does. */
async function extract(
  path: string,
  name: string,
  ocrLanguages?: string,
): Promise<{ text: string; seconds: number; peakMegabytes: number }> {
  let pid = 0
  await using reader = createDocumentReader({
    logger: silentLogger,
    slots: 1,
    ...(ocrLanguages !== undefined && { ocrLanguages }),
    spawn(options) {
      const child = spawnNodeChild(options)
      pid = child.pid ?? 0
      return child
    },
  })
  const warm = await mkdtemp(join(tmpdir(), "casella-bench-"))
  await writeFile(join(warm, "warm.txt"), "warm")
  for await (const _ of reader.read({ path: join(warm, "warm.txt"), name: "warm.txt" }));
  await rm(warm, { recursive: true })
  const texts: string[] = []
  const before = await processorSeconds(pid)
  const scans: Scan[] = []
  const onScans = (left: ScannedPages) => scans.push(...left.scans)
  for await (const { text } of reader.read({ path, name }, { onScans })) texts.push(text)
  for (const scan of scans)
    for await (const { text } of reader.read({ path, name, scan }, { ocr: true })) texts.push(text)
  const seconds = (await processorSeconds(pid)) - before
  return { text: texts.join("\n"), seconds, peakMegabytes: await peakMemory(pid) }
}

/** Processor time that a process has used so far, in steps of 10 ms (Linux only). */
async function processorSeconds(pid: number): Promise<number> {
  const [, fields = ""] = (await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")).split(") ")
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number)
  return (user + system) / 100
}

/** Peak resident memory of a process so far (Linux only). */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

const getWords = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Share of the expected words that were found, including repetitions. */
function recall(expected: string, found: string): number {
  const counts = new Map<string, number>()
  for (const word of getWords(found)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const wanted = getWords(expected)
  let hits = 0
  for (const word of wanted) {
    const left = counts.get(word) ?? 0
    if (left > 0) hits++
    counts.set(word, left - 1)
  }
  return wanted.length === 0 ? 1 : hits / wanted.length
}

/** Compares real files with the text that another reader finds in them. */
async function corpusRecall(directory: string): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const [name, otherReader] of Object.entries(otherReaders)) {
    if (!existsSync(corpus + name)) continue
    const { text } = await extract(corpus + name, name, join(directory, "ocr-languages"))
    results.push({ name: `${name}: words found`, value: recall(await otherReader(), text), unit: "" })
  }
  return results
}

/** A real page of text in every image format. */
async function pictureRecall(directory: string): Promise<BenchResult[]> {
  if (!existsSync(`${corpus}phototest.tif`)) return []
  const [first] = tiffPages(await readFile(`${corpus}phototest.tif`), 40_000_000)
  if (!first) return []
  const expected = await readFile(`${corpus}phototest.gold.txt`, "utf8")
  const results: BenchResult[] = []
  for (const [extension, bytes] of Object.entries(await encodeInEveryFormat(first()))) {
    const path = join(directory, `page.${extension}`)
    await writeFile(path, bytes)
    const { text } = await extract(path, `page.${extension}`, join(directory, "ocr-languages"))
    results.push({ name: `a page as ${extension}: words found`, value: recall(expected, text), unit: "" })
  }
  return results
}

/** Speed, memory use and completeness of reading each format. */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-"))
  try {
    const results: BenchResult[] = []
    for (const { name, bytes, text } of samples()) {
      const path = join(directory, name)
      await writeFile(path, bytes)
      const extracted = await extract(path, name)
      const format = name.slice(2)
      const found = recall(text, extracted.text)
      results.push(
        { name: `${format}: text read`, value: text.length / 1e6 / extracted.seconds, unit: "MB/s" },
        { name: `${format}: peak memory`, value: extracted.peakMegabytes, unit: "MB" },
        { name: `${format}: words found`, value: found, unit: "", target: "≥0.99", ok: found >= 0.99 },
      )
    }
    return [...results, ...(await corpusRecall(directory)), ...(await pictureRecall(directory))]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

if (import.meta.main) printResults(await run())
