import { expect, test } from "vitest"
import { compoundFile } from "../formats/compound-file.ts"
import { docx } from "../formats/docx.ts"
import { eml } from "../formats/eml.ts"
import { epub } from "../formats/epub.ts"
import { image } from "../formats/image.ts"
import { ods, openDocument } from "../formats/open-document.ts"
import { p7m } from "../formats/p7m.ts"
import { pdf } from "../formats/pdf.ts"
import { pptx } from "../formats/pptx.ts"
import { rtf } from "../formats/rtf.ts"
import { xlsx } from "../formats/xlsx.ts"
import type { Parser, TextRecognizer } from "../parser.ts"
import { signedMessage } from "../testing/cms-bytes.ts"
import { compoundBytes } from "../testing/compound-files.ts"
import { makePdf } from "../testing/make-pdf.ts"
import { docxBytes, openDocumentBytes, pptxBytes, xlsxBytes, zipBytes } from "../testing/office-files.ts"
import { jpegBytes, pngBytes, quarteredPicture } from "../testing/picture-bytes.ts"
import { createRandom, mutate, parseBytes } from "../testing/parse-bytes.ts"
import { parseMailDate, PropertyCollector, readExifDate, readSummaryDate } from "./document-properties.ts"

const mail = (...lines: string[]) => `${lines.join("\r\n")}\r\n\r\nText`
const core = (date: string) => ({
  "docProps/core.xml": `<cp:coreProperties><dcterms:created xsi:type="dcterms:W3CDTF">${date}</dcterms:created></cp:coreProperties>`,
})
const meta = { "meta.xml": "<office:meta><meta:creation-date>2019-04-30T23:59:59.123</meta:creation-date>" }
const illegible: TextRecognizer = { recognize: async () => [] }

/** Creates the summary of an older Office document, which was created then. */
function summary(date: Date, type = 0x40): Buffer {
  const bytes = Buffer.alloc(76)
  bytes.writeUInt32LE(48, 44)
  bytes.writeUInt32LE(1, 52)
  bytes.writeUInt32LE(0x0c, 56)
  bytes.writeUInt32LE(16, 60)
  bytes.writeUInt32LE(type, 64)
  bytes.writeBigUInt64LE((BigInt(date.getTime()) + 11_644_473_600_000n) * 10_000n, 68)
  return bytes
}

/** Creates Exif data with these texts: in the main directory (tag below 0x9000), or in the one for the picture. */
function exif(texts: Record<number, string>, isLittle = true): Buffer {
  const bytes = Buffer.alloc(400)
  bytes.write(isLittle ? "II*\0" : "MM\0*", "latin1")
  const short = (value: number, at: number) =>
    isLittle ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    isLittle ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at)
  let free = 200
  const directory = (start: number, entries: [tag: number, value: string | number][]) => {
    short(entries.length, start)
    for (const [index, [tag, value]] of entries.entries()) {
      const at = start + 2 + index * 12
      short(tag, at)
      short(typeof value === "string" ? 2 : 4, at + 2)
      long(typeof value === "string" ? value.length + 1 : 1, at + 4)
      if (typeof value === "number") long(value, at + 8)
      else {
        long(free, at + 8)
        bytes.write(value, free)
        free += value.length + 1
      }
    }
  }
  const all = Object.entries(texts).map(([tag, text]): [number, string] => [Number(tag), text])
  long(8, 4)
  directory(8, [...all.filter(([tag]) => tag < 0x9000), [0x8769, 100]])
  directory(
    100,
    all.filter(([tag]) => tag >= 0x9000),
  )
  return bytes
}

function photo(data: Buffer): Buffer {
  const jpeg = jpegBytes(quarteredPicture(16, 16))
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), data])
  const head = Buffer.from([0xff, 0xe1, (body.length + 2) >> 8, (body.length + 2) & 0xff])
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)])
}

const book = zipBytes({
  "META-INF/container.xml": '<container><rootfile full-path="book.opf"/></container>',
  "book.opf":
    '<package><dc:title>T</dc:title><dc:date>2011-07</dc:date><item id="a" href="a.html"/><itemref idref="a"/></package>',
  "a.html": "<p>Text</p>",
})

/** Catches a kind of file whose stated date isn't read, or is moved to another day. */
const stated: [string, Parser, string | Buffer, string][] = [
  ["a mail", eml, mail("Date: Fri, 5 Jan 2024 00:30:00 +0100", "From: a@b.c"), "2024-01-04T23:30:00.000Z"],
  [
    "a signed mail",
    p7m,
    signedMessage(Buffer.from(mail("From: a@b.c", "Date: 5 Jan 2024 10:00:00 GMT"))),
    "2024-01-05T10:00:00.000Z",
  ],
  [
    "a PDF with a time zone",
    pdf,
    makePdf([{ lines: [{ text: "Text" }] }], "D:20240305103000+01'00'"),
    "2024-03-05T09:30:00.000Z",
  ],
  [
    "a PDF without one",
    pdf,
    makePdf([{ lines: [{ text: "Text" }] }], "D:20240305233000"),
    "2024-03-05T23:30:00.000Z",
  ],
  [
    "a PDF with a day",
    pdf,
    makePdf([{ lines: [{ text: "Text" }] }], "D:20240305"),
    "2024-03-05T00:00:00.000Z",
  ],
  [
    "docx",
    docx,
    docxBytes("<w:p><w:r><w:t>Text</w:t></w:r></w:p>", core("2020-02-29T12:00:00Z")),
    "2020-02-29T12:00:00.000Z",
  ],
  [
    "xlsx",
    xlsx,
    xlsxBytes('<row r="1"><c r="A1"><v>1</v></c></row>', core("2020-02-29")),
    "2020-02-29T00:00:00.000Z",
  ],
  ["pptx", pptx, pptxBytes([], core("2020-02-29T12:00:00-05:00")), "2020-02-29T17:00:00.000Z"],
  ["odt", openDocument, openDocumentBytes("text", "<text:p>Text</text:p>", meta), "2019-04-30T23:59:59.000Z"],
  ["ods", ods, openDocumentBytes("spreadsheet", "", meta), "2019-04-30T23:59:59.000Z"],
  ["rtf", rtf, "{\\rtf1{\\info{\\creatim\\yr2004\\mo3\\dy5\\hr9\\min7}}Text}", "2004-03-05T09:07:00.000Z"],
  ["epub", epub, book, "2011-07-01T00:00:00.000Z"],
  [
    "a photo",
    image,
    photo(exif({ 0x0132: "2024:01:01 00:00:00", 0x9003: "2021:08:15 18:30:00" })),
    "2021-08-15T18:30:00.000Z",
  ],
  [
    "a photo with its time zone",
    image,
    photo(exif({ 0x9003: "2021:08:15 18:30:00", 0x9011: "+02:00" }, false)),
    "2021-08-15T16:30:00.000Z",
  ],
  [
    "a photo that was only changed",
    image,
    photo(exif({ 0x0132: "2021:08:15 18:30:00" })),
    "2021-08-15T18:30:00.000Z",
  ],
]
test.for(stated)("the date of %s", async ([, parser, bytes, expected]) => {
  expect((await parseBytes(parser, bytes, "a.eml.p7m", illegible)).date?.toISOString()).toBe(expected)
})

test("the date of an older Word document", async () => {
  const created = new Date("1999-12-31T08:00:00.000Z")
  const { date } = await parseBytes(
    compoundFile,
    compoundBytes({
      "\u0005SummaryInformation": summary(created),
      "__properties_version1.0": Buffer.alloc(32),
    }),
  )
  expect(date).toEqual(created)
})

// Catches a default or damaged date that puts a file into a wrong year, and one that fails the file.
test.for([
  ["a year of five digits", eml, mail("Date: Sat, 01 Jan 99999 00:00:00 +0000", "From: a@b.c")],
  ["no mail date", eml, mail("Date: soon", "From: a@b.c")],
  ["the year 0", eml, mail("Date: Sat, 01 Jan 0000 00:00:00 +0000", "From: a@b.c")],
  ["the year 99999", pdf, makePdf([{ lines: [{ text: "Text" }] }], "D:99999123110000")],
  ["an impossible day", pdf, makePdf([{ lines: [{ text: "Text" }] }], "D:20240230")],
  ["words", docx, docxBytes("<w:p/>", core("yesterday"))],
  ["Office's first day", docx, docxBytes("<w:p/>", core("1601-01-01T00:00:00Z"))],
  ["a camera without a clock", image, photo(exif({ 0x9003: "0000:00:00 00:00:00" }))],
  ["a picture that says nothing", image, pngBytes(quarteredPicture(8, 8))],
] as [string, Parser, string | Buffer][])("%s is no date", async ([, parser, bytes]) => {
  expect((await parseBytes(parser, bytes, "a", illegible)).date).toBeUndefined()
})

test("an attachment doesn't date the mail, and its senders aren't the mail's", async () => {
  const inner = mail("From: Inner <inner@example.org>", "Date: Mon, 1 Jan 2001 00:00:00 GMT")
  const parsed = await parseBytes(
    eml,
    [
      "From: Anna Rossi <anna@example.org>",
      "To: Team: Bo <bo@example.org>, c@example.org;",
      'Cc: "Rossi, Dario" <dario@example.org>',
      'Content-Type: multipart/mixed; boundary="x"',
      "",
      "--x",
      "Content-Type: text/plain",
      "",
      "Hello",
      "--x",
      'Content-Type: application/octet-stream; name="inner.eml"',
      'Content-Disposition: attachment; filename="inner.eml"',
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from(inner).toString("base64"),
      "--x--",
    ].join("\r\n"),
    "a.eml",
  )
  expect(parsed.text).toContain("inner@example.org")
  expect(parsed.date).toBeUndefined()
  expect(parsed.people).toEqual([
    { name: "Anna Rossi", address: "anna@example.org" },
    { name: "Bo", address: "bo@example.org" },
    { name: "", address: "c@example.org" },
    { name: "Rossi, Dario", address: "dario@example.org" },
  ])
})

// Catches a hostile message whose people fill the memory or the database.
test("people are bounded in number and length", () => {
  const collector = new PropertyCollector()
  collector.add({
    people: Array.from({ length: 5000 }, (_, index) => ({ name: "n".repeat(9000), address: `${index}@a.b` })),
  })
  collector.add({ people: [{ name: "Late", address: "" }] })
  expect(collector.people).toHaveLength(500)
  expect(collector.people[0]?.name).toHaveLength(200)
})

test.for([
  ["2024-03-05T10:00:00.5Z", "2024-03-05T10:00:00.000Z"],
  ["2024", undefined],
  ["20240305100000Z", "2024-03-05T10:00:00.000Z"],
  ["D:20240305100000-08'00", "2024-03-05T18:00:00.000Z"],
  ["2024-13-05", undefined],
  ["2024-03-05T25:00:00", undefined],
  ["Fri, 5 Jan 2024 00:30:00 EST", "2024-01-05T05:30:00.000Z"],
  ["5 January 99 7:30 (local)", "1999-01-05T07:30:00.000Z"],
  ["soon 5", undefined],
  ["5 Foo 2024 10:00", undefined],
  ["", undefined],
] as const)("%s as a date", ([text, expected]) => {
  expect(parseMailDate(text)?.toISOString()).toBe(expected)
})

test("damaged summaries and Exif data have no effect but a missing date", () => {
  const random = createRandom(11)
  const whole = { summary: summary(new Date()), exif: exif({ 0x9003: "2021:08:15 18:30:00" }) }
  for (let round = 0; round < 2000; round++) {
    readSummaryDate(mutate(whole.summary, random))
    readExifDate(mutate(whole.exif, random))
  }
  expect(readSummaryDate(summary(new Date(), 3))).toBeUndefined()
})
