import { expect, test } from "vitest"
import { xmlSteps, type XmlHandler } from "../xml/xml-events.ts"
import { SheetReader, type CellReading } from "./sheet-reader.ts"

const rawReading: CellReading<string> = {
  text: (text) => `text ${text}`,
  number: (value, style) => `number ${value} ${style}`,
  boolean: (value) => `boolean ${value}`,
  date: (value) => `date ${value}`,
  error: (value) => `error ${value}`,
  formula: (formula) => `formula ${formula}`,
}

/** Reads a whole sheet in chunks of this many bytes, with or without reading plain rows ahead. */
async function read(xml: Buffer, size: number, ahead: boolean) {
  const reader = new SheetReader(["zero", "one & two"], rawReading)
  const handler: XmlHandler = ahead
    ? reader
    : {
        open: (name, attributes) => reader.open(name, attributes),
        close: (name) => reader.close(name),
        text: (text) => reader.text(text),
      }
  async function* chunks() {
    for (let at = 0; at < xml.length; at += size) yield xml.subarray(at, at + size)
  }
  const steps = xmlSteps(chunks(), handler)
  let step = await steps.next()
  while (step.done !== true) step = await steps.next()
  return { rows: reader.take(), merged: reader.merged, complaint: step.value?.replace(/^\d+:\d+: /, "") }
}

const around = (rows: string) =>
  `<?xml version="1.0"?>\n<worksheet xmlns:x14ac="a"><!-- <sheetData><row><c><v>9</v></c></row> --><sheetData>${rows}</sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>`
const plain =
  '<row r="1" spans="1:2" x14ac:dyDescent="0.25"><c r="A1" t="s"><v>1</v></c><c r="C1" s="3"><v>4.5</v></c></row>'

const sheets: Record<string, string> = {
  plain,
  "all types":
    '<row><c t="s"><v>0</v></c><c t="str"><v>a b</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2025-01-02</v></c><c t="n"><v>1E3</v></c><c t="inlineStr"><is><t xml:space="preserve"> x </t></is></c><c t="odd"><v>z</v></c></row>',
  formulas:
    '<row r="2"><c r="A2"><f>SUM(B1:B2)</f><v>3</v></c><c r="B2"><f t="shared" ref="B2:B9" si="0"/><v>4</v></c><c r="C2" t="str"><f>A1&amp;"x"</f><v>y</v></c></row>',
  "formulas without values":
    '<row r="2"><c r="A2"><f>B2*1.22</f></c><c r="B2"><f>SUM(B1)</f><v></v></c><c r="C2" t="str"><f>A1</f><v></v></c><c r="D2" t="str"><f>A1</f></c><c r="E2"><f t="shared" si="0"/></c><c r="F2"><f>A1&amp;"x"</f><v/></c></row>',
  "hidden rows":
    '<row r="1" hidden="1"><c r="A1"><v>1</v></c></row><row r="2" ht="15" hidden="true"><c r="A2"><v>2</v></c></row><row r="3" hidden="0"><c r="A3"><v>3</v></c></row><row hidden="1"/>',
  "empty cells":
    '<row r="3"><c r="A3"/><c r="B3" s="1"/><c><v></v></c><c><v>7</v></c></row><row r="4"/><row r="7"></row>',
  entities: `<row><c t="str"><v>a &amp; b &#233; &lt;c&gt;</v></c></row>${plain}`,
  "rich and phonetic": '<row><c t="inlineStr"><is><r><t>ri</t></r><r><t>ch</t></r></is></c></row>',
  "comments and CDATA": `<row><c t="str"><v><![CDATA[</row> <b>]]></v></c><!-- </row> --></row>${plain}`,
  "a comment between rows": `${plain}<!-- ${plain} -->${plain}`,
  "blanks between": `\n  <row r="1">\n    <c r="A1">\n <v>1</v>\n</c>\n <c r="B1"><v>2</v></c> </row>\n  ${plain}\n`,
  prefixes: '<x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row>',
  "no order":
    '<row r="9"><c r="D9"><v>1</v></c><c r="B9"><v>2</v></c></row><row r="2"><c r="ABCD2"><v>3</v></c></row><row r="0"><c><v>4</v></c></row>',
  "attributes of any kind": `<row ht="15" r="5" customHeight="1"><c r="A5" cm="1"><v>1</v></c></row><row a='1'><c r='B1'><v>2</v></c></row>`,
  "an attribute without a name": `<row ="15"><c><v>1</v></c></row>${plain}`,
  "doubled attributes": '<row r="1" r="2"><c r="A1" r="B1"><v>1</v></c></row>',
  "not closed": '<row r="1"><c r="A1"><v>1</v></row><row r="2"><c r="A2"><v>2</v></c></row>',
  "a row in a row": `<row r="1"><c><v>1</v></c>${plain}</row>${plain}`,
  "no characters of XML": `<row><c t="str"><v>a\u0001b</v></c></row>${plain}<row><c t="str"><v>]]></v></c></row>`,
  "far letters": `<row><c t="str"><v>Grüße 日本 😀</v></c></row>${plain}`,
  "many rows": Array.from(
    { length: 300 },
    (_, row) => `<row r="${row + 1}"><c r="A${row + 1}"><v>${row}</v></c></row>`,
  ).join(""),
}

// Catches a row, cell, type, location or error that the fast path reads differently from the XML parser, however the bytes are split.
test.each(Object.entries(sheets))(
  "reads ahead with the same result as the XML parser: %s",
  async (_, rows) => {
    for (const text of [around(rows), `\uFEFF${around(rows)}`, around(rows).slice(0, -60)]) {
      const bytes = Buffer.from(text)
      const expected = await read(bytes, bytes.length, false)
      for (const size of [1, 7, 64, bytes.length]) expect(await read(bytes, size, true)).toEqual(expected)
    }
    const wide = Buffer.from(`\uFEFF${around(rows)}`, "utf16le")
    expect(await read(wide, 33, true)).toEqual(await read(wide, wide.length, false))
  },
)

// Catches a text followed by its phonetic guide, and a true value that is read as false.
test("reads inline texts without phonetic guides, and booleans written as words", async () => {
  const cells =
    '<c t="inlineStr"><is><r><t>東京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c><c t="b"><v>true</v></c>'
  const bytes = Buffer.from(around(`<row>${cells}</row>`))
  const { rows } = await read(bytes, bytes.length, true)
  expect(rows[0]?.cells.map(({ value }) => value)).toEqual(["text 東京", "boolean true"])
})

// Catches text that is read again with each row or chunk until the time limit.
test.each([
  ["empty rows", around(`${'<row r="1" ht="15"/>'.repeat(180_000)}${plain}`), 180_001],
  ["blanks between rows", around(`${" ".repeat(2 ** 25)}${plain}`), 1],
  ["beginnings in a comment", `<!--${"<sheetData>".repeat(2 ** 22)}-->${around(plain)}`, 1],
])("many %s don't slow down reading", async (_, sheet, count) => {
  expect((await read(Buffer.from(sheet), 2 ** 16, true)).rows).toHaveLength(count)
})
