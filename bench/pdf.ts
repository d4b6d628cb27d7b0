import { existsSync } from "node:fs"
import { mkdtemp, open, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { encodePgm } from "../src/box/parsers/ocr/page-recognition.ts"
import { prepareLanguages } from "../src/box/parsers/ocr/languages.ts"
import { Tesseract } from "../src/box/parsers/ocr/tesseract.ts"
import type { Block } from "../src/box/parsers/parser.ts"
import { pdf } from "../src/box/parsers/formats/pdf.ts"
import { toDocumentFile, createMemoryFile } from "../src/box/parsers/document/document-file.ts"
import { PdfDocument } from "../src/box/parsers/pdf/pdf-document.ts"
import { makePdf, type PageSpec } from "../src/box/parsers/testing/make-pdf.ts"
import { printResults, type BenchResult } from "./result.ts"

const pages = 1000
const sentence = "The harbour master keeps a ledger of every ship that enters, and of what it carries. "
const corpus = fileURLToPath(new URL("../../shared/corpus/documents/", import.meta.url))
const turnedScan = `${corpus}cardinal.pdf`
const megabyte = 2 ** 20

/** A page of about 3,500 characters with two headings. */
function denseSpec(page: number): PageSpec {
  const lines = Array.from({ length: 40 }, (_, line) =>
    line % 20 === 0 ? { text: `Section ${page}.${line / 20}`, size: 15 } : { text: sentence.slice(0, 88) },
  )
  return { lines }
}

/** Processor time of `work` in all threads, in seconds. */
async function processorSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

async function* read(path: string, ocr?: Tesseract): AsyncGenerator<Block> {
  await using handle = await open(path)
  yield* pdf.parse(
    { file: await toDocumentFile(handle), name: "bench.pdf" },
    {
      archives: 0,
      marksHidden: false,
      onlyScan: false,
      note: () => undefined,
      describe: () => undefined,
      async *embedded() {},
      ...(ocr ? { ocr } : {}),
    },
  )
}

async function textPages(directory: string): Promise<BenchResult[]> {
  const path = join(directory, "text.pdf")
  await writeFile(path, makePdf(Array.from({ length: pages }, (_, page) => denseSpec(page + 1))))
  for await (const _ of read(path)) break // loads PDFium
  const all = await processorSeconds(async () => {
    let characters = 0
    for await (const { text } of read(path)) characters += text.length
    if (characters < pages * 3000) throw new Error(`only ${characters} characters were read`)
  })
  const rate = pages / all
  return [
    { name: "text of PDF pages on one core", value: rate, unit: "pages/s", target: "≥150", ok: rate >= 150 },
  ]
}

async function scannedPages(directory: string): Promise<BenchResult[]> {
  const languages = join(directory, "languages")
  await prepareLanguages(languages)
  await using tesseract = new Tesseract(languages)
  using document = await PdfDocument.open(createMemoryFile(makePdf([denseSpec(1), denseSpec(2)])))
  const rendered = [1, 2].flatMap((number) => {
    using page = document.page(number)
    return page ? [encodePgm(page.render(300, 40_000_000))] : []
  })
  await tesseract.recognize(rendered[0] ?? new Uint8Array()) // loads the languages
  const seconds = await processorSeconds(() => tesseract.recognize(rendered[1] ?? new Uint8Array()))
  const results: BenchResult[] = [
    { name: "OCR of a dense page, English and Italian", value: seconds, unit: "s" },
  ]
  if (existsSync(turnedScan)) {
    const turned = await processorSeconds(async () => {
      for await (const _ of read(turnedScan, tesseract));
    })
    results.push({ name: "OCR of a scan of 4 pages, 3 of them turned", value: turned / 4, unit: "s/page" })
  }
  return results
}

/** Speed of reading PDF text and of OCR, in processor time, and their memory use. */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-"))
  try {
    const text = await textPages(directory)
    const afterText = process.memoryUsage.rss() / megabyte
    const scans = await scannedPages(directory)
    const most = process.resourceUsage().maxRSS / 1024
    return [
      ...text,
      { name: "memory after reading PDF text", value: afterText, unit: "MB" },
      ...scans,
      { name: "most memory with OCR", value: most, unit: "MB", target: "≤1024", ok: most <= 1024 },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

if (import.meta.main) printResults(await run())
