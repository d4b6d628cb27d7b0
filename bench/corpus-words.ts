import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { CFB, read, utils } from "@e965/xlsx"
import { createMemoryFile } from "../src/box/parsers/document/document-file.ts"
import { ZipArchive } from "../src/box/parsers/zip/zip-archive.ts"

/** Real files, stored next to the project. */
export const corpus = fileURLToPath(new URL("../../shared/corpus/documents/", import.meta.url))

async function part(archive: ZipArchive, name: string): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of archive.read(name)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const unescaped = (xml: string): string =>
  xml
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&")

/** Text between the tags. Tags that `inline` matches don't separate words. */
const untagged = (xml: string, inline = /<\/?(w:r|w:t|a:r|a:t|w:rPr|text:span)\b[^>]*>/g): string =>
  unescaped(xml.replace(inline, "").replace(/<[^>]*>/g, " "))

/** All text of an OpenDocument file except deleted text. */
async function openDocument(file: string): Promise<string> {
  const archive = await ZipArchive.open(createMemoryFile(await readFile(corpus + file)))
  const content = await part(archive, "content.xml")
  return untagged(content.replace(/<text:tracked-changes.*?<\/text:tracked-changes>/gs, ""))
}

/** Only the runs of text; fields and properties aren't text. */
async function runs(file: string, parts: readonly string[], tag: string): Promise<string> {
  const archive = await ZipArchive.open(createMemoryFile(await readFile(corpus + file)))
  const texts: string[] = []
  for (const name of parts) {
    for (const [, paragraph = ""] of (await part(archive, name)).matchAll(/<[wa]:p[ >](.*?)<\/[wa]:p>/gs)) {
      texts.push(
        [...paragraph.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)<`, "g"))]
          .map(([, text]) => text)
          .join(""),
      )
    }
  }
  return unescaped(texts.join("\n"))
}

/** The streams of a message that contain its subject and plain text. */
async function message(file: string): Promise<string> {
  const container = CFB.read(await readFile(corpus + file), { type: "buffer" }) as {
    FullPaths: string[]
    FileIndex: { content: Uint8Array }[]
  }
  return container.FullPaths.flatMap((path, index) => {
    const [, kind] = /__substg1\.0_(?:0037|1000)(001[EF])$/i.exec(path) ?? []
    const content = Buffer.from(container.FileIndex[index]?.content ?? [])
    if (kind === undefined) return []
    return [kind.toUpperCase() === "001F" ? content.toString("utf16le") : content.toString("latin1")]
  }).join("\n")
}

/** The XML that a signed file contains in one piece. */
async function signedXml(file: string): Promise<string> {
  const text = (await readFile(corpus + file)).toString()
  const root = /<\?xml[^>]*\?>\s*<([\w:.-]+)/.exec(text)?.[1] ?? ""
  return untagged(text.slice(text.indexOf("<?xml"), text.lastIndexOf(`</${root}>`)))
}

async function workbook(file: string): Promise<string> {
  const bytes = await readFile(corpus + file)
  const { error } = console
  console.error = () => undefined // the parser logs complaints about number formats
  try {
    return Object.values(read(bytes).Sheets)
      .map((sheet) => utils.sheet_to_csv(sheet))
      .join("\n")
  } finally {
    console.error = error
  }
}

const word = ["word/document.xml", "word/footnotes.xml", "word/comments.xml"]
const inText =
  (file: string, encoding: BufferEncoding = "utf8") =>
  async () =>
    (await readFile(corpus + file)).toString(encoding)
/** The same document, saved by its author in many formats. */
const various = () => runs("testWORD_various.docx", word, "w:t")
const slides = () => runs("testPPT_various.pptx", ["ppt/slides/slide1.xml"], "a:t")

/** Text that another reader finds in real files, by file name. */
export const otherReaders: Record<string, () => Promise<string>> = {
  "testPDFVarious.pdf": various,
  "testWORD_various.doc": various,
  "testWORD_various.docx": various,
  "testRTFVarious.rtf": various,
  "heading123.docx": () => runs("heading123.docx", word, "w:t"),
  "testODFwithOOo3.odt": () => openDocument("testODFwithOOo3.odt"),
  "testPPT_various.ppt": slides,
  "testPPT_various.pptx": slides,
  "15228.xls": () => workbook("15228.xls"),
  "sample.xlsx": () => workbook("sample.xlsx"),
  "WithVariousData.xlsx": () => workbook("WithVariousData.xlsx"),
  "AutoFilter.ods": () => workbook("AutoFilter.ods"),
  "SampleSS.ods": () => workbook("SampleSS.ods"),
  "test-columnar.csv": inText("test-columnar.csv"),
  "french.txt": inText("french.txt"),
  "write.txt": inText("write.txt", "utf16le"),
  "test.json": inText("test.json"),
  "testXML.xml": async () => untagged(await inText("testXML.xml")()),
  "boilerplate.html": async () =>
    untagged((await inText("boilerplate.html")()).replace(/<(script|style|head)\b.*?<\/\1>/gis, " ")),
  "outlook_30_msg.msg": () => message("outlook_30_msg.msg"),
  "attachment_test_msg.msg": () => message("attachment_test_msg.msg"),
  "testPKCS17Sig-v2.xml.p7m": () => signedXml("testPKCS17Sig-v2.xml.p7m"),
  "phototest.tif": inText("phototest.gold.txt"),
  "8087_054.3B.tif": inText("8087_054.3B.txt"),
  "ccitt.pdf": inText("linn.txt"),
}
