import { CFB, utils, write } from "@e965/xlsx"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { spawnNodeChild } from "../core/children/child.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { createDocumentReader } from "./process/document-reader.ts"
import { maxBlockCharacters, ParseFailure } from "./parser.ts"
import { formats } from "./registry.ts"
import { compoundBytes, pptBytes, wordBytes } from "./testing/compound-files.ts"
import { createRandom, mutate, parseBytes } from "./testing/parse-bytes.ts"
import {
  docxBytes,
  openDocumentBytes,
  pptxBytes,
  relationships,
  xlsxBytes,
  zipBytes,
} from "./testing/office-files.ts"

const body =
  '<w:p w:x="1"><w:pPr><w:pStyle w:val="heading 1"/></w:pPr><w:r><w:t>é &amp; a</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>'
const slide =
  '<p:sp><p:ph type="title"/><a:p><a:r><a:t>Title</a:t></a:r></a:p></p:sp><a:tbl><a:tr><a:tc/></a:tr></a:tbl>'
const rows =
  '<row r="2"><c r="B2" s="1"><v>45000.5</v></c><c r="C2" t="s"><v>0</v></c></row><row><c t="b"><v>1</v></c></row>'
const cells =
  '<table:table table:name="a"><table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell></table:table-row></table:table>'
const text =
  '<text:h text:outline-level="2">a<text:s text:c="4"/></text:h><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list>'

/** For each format, a part to damage and a function that builds a file from it. */
const samples: Record<string, [part: string | Buffer, build: (part: Buffer) => Buffer]> = {
  docx: [body, (part) => docxBytes(part.toString("latin1"))],
  pptx: [slide, (part) => pptxBytes([part.toString("latin1")])],
  xlsx: [
    rows,
    (part) =>
      xlsxBytes(part.toString("latin1"), {
        "xl/sharedStrings.xml": "<sst><si><t>shared</t></si></sst>",
        "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>',
        "xl/worksheets/_rels/sheet1.xml.rels": relationships({ a: ["comments", "../../xl/workbook.xml"] }),
      }),
  ],
  odt: [text, (part) => openDocumentBytes("text", part.toString("latin1"))],
  ods: [cells, (part) => openDocumentBytes("spreadsheet", part.toString("latin1"))],
  rtf: [
    "{\\rtf1\\ansicpg1251{\\fonttbl{\\f1\\fcharset128 x;}}\\f1\\u322?\\'e9{\\footnote n}\\trowd\\intbl a\\cell\\row\\pard\\bin3 abc b\\par}",
    (part) => part,
  ],
  doc: [
    wordBytes({
      pieces: ["Guide\rThe \x13P\x14r\x15\r", "Zaż\ra\x07\x07"],
      headings: { 0: 1 },
      lengths: [22, 4],
    }),
    (part) => part,
  ],
  ppt: [pptBytes(), (part) => part],
  msg: [
    compoundBytes({
      "__properties_version1.0": Buffer.alloc(64, 3),
      "__substg1.0_0037001F": "abcd",
      "__substg1.0_10090102": Buffer.from("2d000000400000004c5a46750102030400ff10203040506070", "hex"),
      "__attach_version1.0_#00000000/__properties_version1.0": Buffer.alloc(40),
      "__attach_version1.0_#00000000/__substg1.0_37010102": "text",
    }),
    (part) => part,
  ],
  zip: [
    zipBytes({ "a.txt": "Text", "b/é.md": "# b", "c.zip": zipBytes({ "d.csv": "a;b\n1;2" }) }),
    (part) => part,
  ],
  p7m: [
    Buffer.from(
      "308006092a864886f70d010702a08030800201013100308006092a864886f70d010701a08024800404746578740000000000000000000000",
      "hex",
    ),
    (part) => part,
  ],
}

// A damaged file is read as far as possible or refused with a sentence. Any other error would be logged as an internal one.
test.for(Object.entries(samples))("damaged %s files", async ([name, [sample, build]]) => {
  const load = formats.find((format) => format.name === name)?.load
  if (!load) throw new Error(`no parser for ${name}`)
  const parser = await load()
  const part = Buffer.from(sample as string)
  const random = createRandom(name.length)
  for (let round = 0; round < 150; round++) {
    // Some are damaged inside, some as a whole file.
    const mutant = random(3) > 0 ? build(mutate(part, random)) : mutate(build(part), random)
    const parsed = await parseBytes(parser, mutant, `a.${name}`).catch((error: unknown) => {
      if (error instanceof ParseFailure && error.message.endsWith(".")) return undefined
      throw new Error(`round ${round}: ${mutant.toString("base64")}`, { cause: error })
    })
    for (const { text } of parsed?.blocks ?? []) {
      expect(text.trim()).not.toBe("")
      expect(text.length).toBeLessThanOrEqual(maxBlockCharacters)
    }
  }
})

/** Returns the files of a workbook's archive. */
function unzip(bytes: Buffer): Record<string, Buffer> {
  const { FullPaths: paths, FileIndex: files } = CFB.read(bytes, { type: "buffer" }) as {
    FullPaths: string[]
    FileIndex: { content?: number[] }[]
  }
  const parts = paths.map((path, index) => [path.replace("Root Entry/", ""), files[index]?.content] as const)
  return Object.fromEntries(
    parts.flatMap(([path, content]) => (content && /\w$/.test(path) ? [[path, Buffer.from(content)]] : [])),
  )
}

// The library for these files may loop or crash. Its process then ends with a reason, and the next file is read.
test.for([
  ["xls", 100],
  ["xlsb", 20],
] as const)("damaged %s files end at most their own process", async ([type, rounds]) => {
  const directory = await mkdtemp(join(tmpdir(), "mutants-"))
  await using reader = createDocumentReader({
    spawn: spawnNodeChild,
    logger: silentLogger,
    slots: 1,
    limits: { processorMs: 2000 },
  })
  const book = utils.book_new()
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ["Item", "Since"],
      ["Oak", new Date(0)],
      [null, 0.5],
    ]),
    "Stock",
  )
  const sample = write(book, { type: "buffer", bookType: type === "xls" ? "biff8" : "xlsb" }) as Buffer
  const parts = type === "xlsb" ? unzip(sample) : {}
  const damaged = ["xl/worksheets/sheet1.bin", "xl/workbook.bin", "xl/styles.bin"]
  const random = createRandom(7)
  const path = join(directory, `a.${type}`)
  let read = 0
  for (let round = 0; round < rounds; round++) {
    const part = damaged[round % damaged.length] ?? ""
    const mutant =
      type === "xls"
        ? mutate(sample, random)
        : zipBytes({ ...parts, [part]: mutate(parts[part] ?? expect.unreachable(), random) })
    await writeFile(path, mutant)
    try {
      for await (const _ of reader.read({ path, name: `a.${type}` })) read++
    } catch (error) {
      expect(error).toBeInstanceOf(ParseFailure)
    }
  }
  expect(read).toBeGreaterThan(rounds / 2)
  await rm(directory, { recursive: true })
})
