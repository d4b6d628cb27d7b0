import { describe, expect, test } from "vitest"
import { eml } from "../formats/eml.ts"
import { html } from "../formats/html.ts"
import { json } from "../formats/json.ts"
import { markdown } from "../formats/markdown.ts"
import { sourceCode } from "../formats/plain-text.ts"
import { xml } from "../formats/xml.ts"
import type { Parser } from "../parser.ts"
import { makePdf } from "../testing/make-pdf.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const pdf = makePdf([{ lines: [{ text: "The ferry leaves at nine." }] }]).toString("base64")
const wrapped = pdf.replace(/.{76}/g, "$&\n")
const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(900, "a1B")]).toString(
  "base64",
)
const certificate = Buffer.from(Array.from({ length: 900 }, (_, index) => (index * 7919) % 251)).toString(
  "base64",
)
/** Text that no one searches for. */
const blobText = /[A-Za-z0-9+/]{60}/

const ubl = (content: string) =>
  `<?xml version="1.0"?><Invoice xmlns:cbc="urn:b" xmlns:cac="urn:a"><cbc:ID>R-17</cbc:ID><cac:AdditionalDocumentReference>
  <cbc:ID>1</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="application/pdf" filename="fare.pdf">${content}</cbc:EmbeddedDocumentBinaryObject></cac:Attachment>
  </cac:AdditionalDocumentReference><cbc:Note>Thank you</cbc:Note></Invoice>`
const crossIndustry = `<rsm:CrossIndustryInvoice xmlns:rsm="urn:r" xmlns:ram="urn:m"><ram:IssuerAssignedID>A1</ram:IssuerAssignedID>
  <ram:AttachmentBinaryObject mimeCode="application/pdf" filename="fare.pdf">${wrapped}</ram:AttachmentBinaryObject></rsm:CrossIndustryInvoice>`
const fattura = `<p:FatturaElettronica xmlns:p="urn:f"><FatturaElettronicaBody><Allegati><NomeAttachment>fare</NomeAttachment>
  <FormatoAttachment>PDF</FormatoAttachment><Attachment>${pdf}</Attachment></Allegati></FatturaElettronicaBody>
  <ds:Signature xmlns:ds="urn:d"><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:Signature></p:FatturaElettronica>`
const uri = `data:application/pdf;name=fare.pdf;base64,${pdf}`
const quoted = [
  "From: a@example.org",
  "Subject: Undelivered",
  "Content-Type: text/plain",
  "",
  "Your message came back:",
  'Content-Type: application/pdf; name="fare.pdf"',
  "Content-Transfer-Encoding: base64",
  "",
  wrapped,
  "--x--",
  "Write to the postmaster.",
].join("\r\n")
const htmlMail = `From: a@example.org\r\nContent-Type: text/html\r\n\r\n<p>Here:</p><a href="${uri}">the fare</a>`

describe("a document in base64", () => {
  // Catches an invoice's PDF that is indexed as letters or can't be found.
  test.for<[string, Parser, string]>([
    ["a UBL invoice", xml, ubl(pdf)],
    ["a UBL invoice, in lines", xml, ubl(`\n${wrapped}\n`)],
    ["a cross-industry invoice", xml, crossIndustry],
    ["a FatturaPA with a signature", xml, fattura],
    ["XML with a data: address", xml, `<a><link href="${uri}">the fare</link></a>`],
    ["JSON with a data: address", json, JSON.stringify({ title: "A", file: uri }).replaceAll("/", "\\/")],
    ["JSON with bare base64", json, JSON.stringify([{ filename: "fare.pdf", content: pdf }])],
    ["Markdown", markdown, `# Fares\n\nSee [the fare](${uri}).\n`],
    ["HTML", html, `<p>See <a href="${uri}">the fare</a>.</p>`],
    ["the text of a mail", eml, quoted],
    ["HTML of a mail", eml, htmlMail],
  ])("is read at its location in %s", async ([, parser, content]) => {
    const { blocks, text, notes } = await parseBytes(parser, content)
    const ferry = blocks.find((block) => block.text.includes("The ferry leaves at nine."))
    expect(ferry?.location).toMatchObject({ page: 1, heading: expect.stringContaining("fare.pdf") as string })
    expect(text).not.toMatch(blobText)
    expect(notes).toEqual([])
  })

  test("keeps the surrounding text", async () => {
    const { text } = await parseBytes(xml, ubl(pdf))
    expect(text).toContain("filename: fare.pdf")
    expect(text).toContain("Note: Thank you")
    const mail = (await parseBytes(eml, quoted)).text
    expect(mail).toContain("Your message came back")
    expect(mail).toContain("Write to the postmaster.")
  })

  test("is decoded at any length where only base64 is allowed", async () => {
    const { text } = await parseBytes(xml, ubl(Buffer.from("a;b\n1;2\n").toString("base64")))
    expect(text).not.toContain("YTti")
  })

  // Catches logos that are sent to OCR, and certificates that are searchable or cause notes.
  test.for<[string, Parser, string]>([
    ["pictures in JSON", json, JSON.stringify({ data: { "image/png": png }, name: undefined })],
    ["pictures in HTML", html, `<p>Logo<img src="data:image/png;base64,${png}"></p>`],
    ["pictures in Markdown", markdown, `![Logo](data:image/png;base64,${png})`],
    ["pictures in code", sourceCode, `logo = "data:image/png;base64,${png}"`],
    ["certificates in XML", xml, `<a><b>Logo</b><X509Certificate>${certificate}</X509Certificate></a>`],
  ])("leaves out %s without a note", async ([, parser, content]) => {
    const { text, notes } = await parseBytes(parser, content)
    expect(text).not.toMatch(blobText)
    expect(notes).toEqual([])
  })

  // Catches words, numbers, paths and keys that are lost because they are taken for base64.
  test.for([
    "word ".repeat(60).trim(),
    "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrente und mehr davon ".repeat(4).trim(),
    "0123456789abcdef".repeat(16),
    "GATTACA".repeat(40),
    "x".repeat(300),
  ])("isn't %s", async (content) => {
    expect((await parseBytes(xml, `<a>${content}</a>`)).text).toContain(content)
    const object = await parseBytes(json, JSON.stringify({ a: content }))
    expect(object.text).toContain(content)
  })
})

describe("hostile base64", () => {
  // Catches documents nested in documents without limit.
  test("reads nested documents five levels deep", async () => {
    let content = "<a>the innermost</a>"
    for (let depth = 0; depth < 8; depth++)
      content = `<a depth="${depth}"><File mimeCode="application/xml" filename="${depth}.xml">${Buffer.from(content.padEnd(200)).toString("base64")}</File></a>`
    const { text, notes } = await parseBytes(xml, content)
    expect(text).toContain("depth: 3")
    expect(text).not.toContain("innermost")
    expect(notes.join()).toContain("more than 5 documents deep")
  })

  // Catches thousands of documents that one small file contains.
  test("reads the first thousand of very many documents", async () => {
    const note = Buffer.from("a note of a few words and the number 17 ".repeat(4)).toString("base64")
    const many = `<File mimeCode="text/plain" filename="n.txt">${note}</File>`.repeat(1_200)
    const { blocks, notes } = await parseBytes(xml, `<a>${many}</a>`)
    expect(blocks.filter(({ text }) => text.includes("a note of a few words"))).toHaveLength(1_000)
    expect(notes).toEqual([
      "200 files were skipped (n.txt, …): Only the first 1,000 documents inside this file are read.",
    ])
  })

  test.for<[string, Parser, (base64: string) => string]>([
    ["XML", xml, (base64) => `<a><b>one</b><File mimeCode="text/plain" name="n">${base64}</File></a>`],
    ["JSON", json, (base64) => JSON.stringify({ b: "one", name: "n", file: base64 })],
    ["Markdown", markdown, (base64) => `one [n](data:text/plain;base64,${base64})`],
  ])("leaves a document of more than 64 MB out of %s with a note", async ([, parser, around]) => {
    const { text, notes } = await parseBytes(
      parser,
      around(Buffer.alloc(65 * 2 ** 20, "aB3-").toString("base64")),
    )
    expect(text).toContain("one")
    expect(text).not.toMatch(blobText)
    expect(notes.join()).toContain("64 MB")
  })
})
