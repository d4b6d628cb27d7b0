import { readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fromBufferPromise } from "yauzl"
import { zipBytes } from "../src/box/parsers/testing/office-files.ts"
import { corpusPath, readCollection } from "./retrieval-corpus.ts"

export interface VariedDocument {
  format: string
  name: string
  bytes: Buffer
}

/** Share of all bytes in percent, as in an office's folder. Images and scans have a separate queue and aren't included. */
const shares: Record<string, number> = {
  pdf: 24,
  docx: 14,
  pptx: 9,
  xlsx: 7,
  xls: 6,
  doc: 6,
  msg: 6,
  eml: 5,
  rtf: 4,
  html: 4,
  ppt: 3,
  odt: 3,
  md: 3,
  txt: 2,
  json: 1,
  csv: 1,
  xml: 1,
  ods: 1,
}
/** Excludes files that are scans, hostile or take seconds each, and texts too short to be representative. */
const left =
  /^(testOCR|ccitt|multipage|cardinal|bug1978317|poc-|test(HTML|MARKDOWN|XML)|french|write|8087|linn|multi-|stress009)/
const paragraphsEach = 24

interface Source {
  name: string
  bytes: Buffer
}

/**
 * About `totalBytes` of documents of all formats, made from the collection next to the project; all are different. Texts are recombined,
 * words in zipped documents are replaced, and files that can't be changed inside get other bytes appended.
 */
export async function* variedDocuments(totalBytes: number): AsyncGenerator<VariedDocument> {
  const directory = corpusPath("documents")
  if (directory === undefined) return
  const hostile = new Set(
    readFileSync(join(directory, "fixtures.tsv"), "utf8")
      .split("\n")
      .filter((line) => line.split("\t").at(-1)?.startsWith("!"))
      .map((line) => line.split("\t")[0]),
  )
  const real = readdirSync(directory)
    .filter((name) => !hostile.has(name) && !left.test(name))
    .map((name): Source => ({ name, bytes: readFileSync(join(directory, name)) }))
  const texts = ["xquad-en", "xquad-de", "xquad-ru", "xquad-th"].flatMap((name) =>
    readCollection(name, corpusPath("retrieval", name) ?? "").passages.map(({ text }) => text),
  )
  let number = 0
  for (const [format, share] of Object.entries(shares)) {
    const sources = real.filter(({ name }) => extname(name) === `.${format}`)
    for (let made = 0; made < (totalBytes * share) / 100; number++) {
      const source = sources[number % sources.length]
      const bytes = await (written[format]?.(texts, number) ??
        (source && changed(format, source.bytes, number)))
      if (!bytes) break
      made += bytes.length
      yield {
        format,
        name: `${String(number)}-${source?.name ?? `note.${format}`}`,
        bytes: Buffer.from(bytes),
      }
    }
  }
}

const some = (texts: readonly string[], seed: number): string[] =>
  Array.from({ length: paragraphsEach }, (_, index) => {
    const text = texts[(seed * 7_919 + index * (31 + (seed % 13))) % texts.length] ?? ""
    return exchanged(text, seed + index)
  })

/** Formats with too few or too small real files to represent them. */
const written: Record<string, (texts: readonly string[], seed: number) => string> = {
  md: (texts, seed) =>
    some(texts, seed)
      .map((text, at) => `## Part ${at}\n\n${text}`)
      .join("\n\n"),
  txt: (texts, seed) => some(texts, seed).join("\n\n"),
  html: (texts, seed) =>
    `<!doctype html><body>${some(texts, seed)
      .map((text, at) => `<h2>Part ${at}</h2><p>${text}</p>`)
      .join("\n")}`,
  json: (texts, seed) =>
    JSON.stringify(
      some(texts, seed).map((text, at) => ({ at, text })),
      null,
      1,
    ),
  csv: (texts, seed) =>
    some(texts, seed)
      .map((text, at) => `${at},${seed},"${text.replaceAll('"', '""')}"`)
      .join("\n"),
  xml: (texts, seed) =>
    `<?xml version="1.0"?><notes>${some(texts, seed)
      .map((text) => `<note><text>${text.replace(/[<&]/g, " ")}</text></note>`)
      .join("\n")}</notes>`,
  eml: (texts, seed) =>
    [
      `From: Sender <sender${seed}@example.org>`,
      `Subject: Note ${seed}`,
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from(some(texts, seed).join("\n\n")).toString("base64").replace(/.{76}/g, "$&\r\n"),
    ].join("\r\n"),
}

async function changed(format: string, bytes: Buffer, seed: number): Promise<Buffer> {
  if (["docx", "pptx", "xlsx", "odt", "ods"].includes(format)) return changedZip(bytes, seed)
  if (format === "rtf") return Buffer.from(exchanged(bytes.toString("latin1"), seed), "latin1")
  const end = Buffer.alloc(512, `\n%${String(seed)} `)
  return Buffer.concat([bytes, end])
}

async function changedZip(bytes: Buffer, seed: number): Promise<Buffer> {
  const entries: Record<string, Uint8Array | string> = {}
  const zip = await fromBufferPromise(bytes, { lazyEntries: true })
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith("/")) continue
    const parts: Buffer[] = []
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer)
    const content = Buffer.concat(parts)
    const isText = /(document|content|sharedStrings|slide\d+|notesSlide\d+)\.xml$/.test(entry.fileName)
    entries[entry.fileName] = isText
      ? content.toString().replace(/>[^<]{4,}</g, (text) => exchanged(text, seed))
      : content
  }
  return zipBytes(entries)
}

/** Swaps two letters in every third long lower-case word. */
function exchanged(text: string, seed: number): string {
  let count = seed
  return text.replace(/(?<= )[a-z]{6,}(?=[ .,])/g, (word) => {
    if (count++ % 3 !== 0) return word
    const at = 1 + (count % (word.length - 2))
    return word.slice(0, at) + String.fromCharCode(97 + (seed % 26)) + word.slice(at)
  })
}
