import { expect, test } from "vitest"
import { reasonText } from "../../../shared/contract/file-reasons.ts"
import { createMemoryFile } from "../document/document-file.ts"
import { documentBlocks } from "../document/document-blocks.ts"
import type { FoundPicture } from "../parser.ts"
import { agileBytes, messageBytes } from "../testing/compound-files.ts"
import { makePdf } from "../testing/make-pdf.ts"
import {
  docxBytes,
  openDocumentBytes,
  pptxBytes,
  relationships,
  xlsxBytes,
  zipBytes,
} from "../testing/office-files.ts"
import { parserFor, pngOf, readWithPictures } from "../testing/read-with-pictures.ts"

const blip = (id: string) => `<w:r><w:drawing><a:blip r:embed="${id}"/></w:drawing></w:r>`
const text = (words: string) => `<w:r><w:t>${words}</w:t></w:r>`
const heading = (words: string) =>
  `<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>${words}</w:t></w:r></w:p>`

/** A Word document with these pictures of its media folder, by their relationships. */
const wordBytes = (body: string, pictures: Record<string, Uint8Array>, parts = {}) =>
  docxBytes(body, {
    "word/_rels/document.xml.rels": relationships({
      ...Object.fromEntries(Object.keys(pictures).map((id) => [id, ["image", `media/${id}.png`] as const])),
      header: ["header", "header.xml"],
    }),
    ...Object.fromEntries(Object.entries(pictures).map(([id, bytes]) => [`word/media/${id}.png`, bytes])),
    ...parts,
  })

// Catches pictures that are lost, cited at the wrong place, or read although they are icons, logos or drawings of another format.
test("finds the pictures in a Word document with their headings", async () => {
  const logo = pngOf(300)
  const body = [
    `<w:p>${text("Before")}${blip("logo")}</w:p>`,
    heading("Costs"),
    `<w:p>${text("See the chart")}${blip("chart")}</w:p>`,
    `<w:p>${blip("icon")}${blip("line")}${blip("drawing")}${blip("absent")}</w:p>`,
    heading("Plan"),
    `<w:p>${blip("plan")}${blip("copy")}${blip("logo")}${blip("logo")}${blip("logo")}</w:p>`,
    `<w:p><w:r><w:pict><v:shape><v:imagedata r:id="old"/></v:shape></w:pict></w:r></w:p>`,
  ]
  const pictures = {
    logo,
    chart: pngOf(310),
    icon: pngOf(64, 64),
    line: pngOf(2000, 4),
    drawing: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='900' height='900'/>"),
    plan: pngOf(320),
    copy: pngOf(320),
    old: pngOf(330),
  }
  const header = `<w:hdr><w:p>${text("Company")}${blip("headed")}</w:p></w:hdr>`
  const parts = {
    "word/header.xml": header,
    "word/_rels/header.xml.rels": relationships({ headed: ["image", "media/headed.png"] }),
    "word/media/headed.png": pngOf(340),
  }
  const bytes = wordBytes(body.join(""), pictures, parts)
  const read = await readWithPictures(bytes, "a.docx")
  expect(read.pictures).toEqual([
    ["image", "words 310", { heading: "Costs", image: 1 }],
    ["image", "words 320", { heading: "Plan", image: 2 }],
    ["image", "words 330", { heading: "Plan", image: 3 }],
  ])
  const without = await readWithPictures(bytes, "a.docx", { wantsPictures: false })
  expect(without).toEqual({ texts: read.texts, pictures: [], notes: [] })
  expect(await readWithPictures(agileBytes(bytes, "pass"), "a.docx", { password: "pass" })).toEqual(read)
})

// Catches pictures on the wrong slide, and the background of a slide.
test("finds the pictures on slides", async () => {
  const slide = (title: string, shapes: string) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${title}</a:t></a:r></a:p></p:txBody></p:sp>${shapes}`
  const bytes = pptxBytes(
    [
      slide("One", '<p:bg><p:bgPr><a:blip r:embed="b"/></p:bgPr></p:bg><p:pic><a:blip r:embed="a"/></p:pic>'),
      slide("Two", '<p:pic><a:blip r:embed="a"/></p:pic><p:pic><a:blip r:embed="b"/></p:pic>'),
    ],
    {
      "ppt/slides/_rels/slide1.xml.rels": relationships({
        a: ["image", "../media/1.png"],
        b: ["image", "../media/2.png"],
      }),
      "ppt/slides/_rels/slide2.xml.rels": relationships({
        a: ["image", "../media/3.png"],
        b: ["image", "../media/4.png"],
      }),
      "ppt/media/1.png": pngOf(301),
      "ppt/media/2.png": pngOf(302),
      "ppt/media/3.png": pngOf(303),
      "ppt/media/4.png": pngOf(304),
    },
  )
  expect((await readWithPictures(bytes, "a.pptx")).pictures).toEqual([
    ["image", "words 301", { slide: 1, heading: "One", image: 1 }],
    ["image", "words 303", { slide: 2, heading: "Two", image: 1 }],
    ["image", "words 304", { slide: 2, heading: "Two", image: 2 }],
  ])
})

/** The anchor of a picture in the drawing of a sheet. */
const anchor = (row: number, column: number, id: string) =>
  `<xdr:twoCellAnchor><xdr:from><xdr:col>${column}</xdr:col><xdr:colOff>99</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>88</xdr:rowOff></xdr:from><xdr:pic><a:blip r:embed="${id}"/></xdr:pic></xdr:twoCellAnchor>`

// Catches pictures on the wrong row, and those of hidden rows.
test("finds the pictures in spreadsheets at their cells", async () => {
  const xlsx = xlsxBytes(
    '<row r="1"><c r="A1"><v>1</v></c></row><row r="3" hidden="1"><c r="A3"><v>2</v></c></row>',
    {
      "xl/worksheets/_rels/sheet1.xml.rels": relationships({ d: ["drawing", "../drawings/drawing1.xml"] }),
      "xl/drawings/drawing1.xml": `<xdr:wsDr>${anchor(4, 2, "a")}${anchor(2, 1, "b")}</xdr:wsDr>`,
      "xl/drawings/_rels/drawing1.xml.rels": relationships({
        a: ["image", "../media/1.png"],
        b: ["image", "../media/2.png"],
      }),
      "xl/media/1.png": pngOf(301),
      "xl/media/2.png": pngOf(302),
    },
  )
  expect((await readWithPictures(xlsx, "a.xlsx")).pictures).toEqual([
    ["image", "words 301", { sheet: "Stock", row: 5, column: 3, image: 1 }],
  ])
  const cell =
    '<table:table-cell><text:p>1</text:p><draw:image xlink:href="Pictures/1.png"/></table:table-cell>'
  const table = `<table:table table:name="Stock"><table:table-row><table:table-cell/>${cell}</table:table-row></table:table>`
  const ods = openDocumentBytes("spreadsheet", table, { "Pictures/1.png": pngOf(301) })
  expect((await readWithPictures(ods, "a.ods")).pictures).toEqual([
    ["image", "words 301", { sheet: "Stock", row: 1, column: 2, image: 1 }],
  ])
})

// Catches pictures of hidden parts that are read against the folder's setting, and those that stay unread although it wants hidden parts.
test("the pictures of hidden parts are read only if the folder wants these parts", async () => {
  const hiddenRun = (id: string) =>
    `<w:r><w:rPr><w:vanish/></w:rPr><w:drawing><a:blip r:embed="${id}"/></w:drawing></w:r>`
  const docx = wordBytes(`<w:p>${text("Text")}${hiddenRun("a")}${blip("b")}${hiddenRun("b")}</w:p>`, {
    a: pngOf(301),
    b: pngOf(302),
  })
  const xlsx = xlsxBytes('<row r="1"><c r="A1"><v>1</v></c></row><row r="3" hidden="1"/>', {
    "xl/worksheets/_rels/sheet1.xml.rels": relationships({ d: ["drawing", "../drawings/drawing1.xml"] }),
    "xl/drawings/drawing1.xml": `<xdr:wsDr>${anchor(2, 1, "a")}${anchor(4, 2, "b")}</xdr:wsDr>`,
    "xl/drawings/_rels/drawing1.xml.rels": relationships({
      a: ["image", "../media/1.png"],
      b: ["image", "../media/2.png"],
    }),
    "xl/media/1.png": pngOf(301),
    "xl/media/2.png": pngOf(302),
  })
  const media = { "Pictures/1.png": pngOf(301), "Pictures/2.png": pngOf(302) }
  const image = (part: number) => `<draw:image xlink:href="Pictures/${part}.png"/>`
  const odt = openDocumentBytes(
    "text",
    `<text:section text:display="none"><text:p>${image(1)}</text:p></text:section><text:p>${image(2)}</text:p>`,
    media,
  )
  const cell = (part: number) => `<table:table-cell><text:p>1</text:p>${image(part)}</table:table-cell>`
  const ods = openDocumentBytes(
    "spreadsheet",
    `<table:table table:name="Stock"><table:table-column table:visibility="collapse"/><table:table-column/><table:table-row>${cell(1)}${cell(2)}</table:table-row></table:table>`,
    media,
  )
  for (const [name, bytes] of Object.entries({
    "a.docx": docx,
    "a.xlsx": xlsx,
    "a.odt": odt,
    "a.ods": ods,
  })) {
    const skipped = await readWithPictures(bytes, name)
    expect(skipped.pictures, name).toEqual([["image", "words 302", expect.anything()]])
    const marked = await readWithPictures(bytes, name, { marksHidden: true })
    expect(marked.pictures, name).toEqual([
      ["image", "words 301", expect.anything(), "hidden"],
      ["image", "words 302", expect.anything()],
    ])
  }
})

// Catches pictures of books, OpenDocument files and pages that aren't found, and previews of charts, which are read as charts.
test("finds the pictures in OpenDocument files, books and pages", async () => {
  const image = (part: string) => `<draw:frame><draw:image xlink:href="${part}"/></draw:frame>`
  const odt = openDocumentBytes(
    "text",
    `<text:h text:outline-level="1">Costs</text:h><text:p>${image("Pictures/1.png")}${image("./ObjectReplacements/Object 1")}</text:p>`,
    { "Pictures/1.png": pngOf(301), "ObjectReplacements/Object 1": pngOf(302) },
  )
  expect((await readWithPictures(odt, "a.odt")).pictures).toEqual([
    ["image", "words 301", { heading: "Costs", image: 1 }],
  ])
  const book = zipBytes({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    "OEBPS/book.opf": `<package><manifest><item id="c" href="text/one.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>`,
    "OEBPS/text/one.xhtml": `<html><body><h1>Terns</h1><p>They dive. <img src="../my%20image.png"/></p><img src="https://example.org/x.png"/></body></html>`,
    "OEBPS/my image.png": pngOf(303),
  })
  expect((await readWithPictures(book, "a.epub")).pictures).toEqual([
    ["image", "words 303", { heading: "Terns", image: 1 }],
  ])
  const uri = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`
  const page = `<title>Page</title><h1>Costs</h1><style>p { background: url("${uri(pngOf(304))}") }</style><p>Text<img alt="chart" src='${uri(pngOf(305))}'></p><p>More<img src="${uri(pngOf(306))}"></p>`
  const html = await readWithPictures(Buffer.from(page), "a.html")
  expect(html.pictures).toEqual([
    ["image", "words 305", { heading: "Costs", image: 1 }],
    ["image", "words 306", { heading: "Costs", image: 2 }],
  ])
  expect(html.texts).toEqual(["Page", "Costs", "Text chart", "More"])
})

// Catches pictures of messages and attachments that are read in the wrong document or cited without it.
test("finds the pictures in emails and in documents attached to them", async () => {
  const word = wordBytes(`${heading("Costs")}<w:p>${blip("chart")}</w:p>`, { chart: pngOf(302) })
  const part = (head: string, bytes: Uint8Array) =>
    `--b\r\n${head}\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(bytes).toString("base64")}\r\n`
  const mail = [
    "From: anna@example.org\r\nSubject: Offer\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n",
    `--b\r\nContent-Type: text/html\r\n\r\n<p>Here is the screenshot</p><img src="cid:shot"><img src="data:image/png;base64,${pngOf(303).toString("base64")}">\r\n`,
    part("Content-Type: image/png; name=shot.png\r\nContent-ID: <shot>", pngOf(301)),
    part('Content-Type: application/octet-stream; name="costs.docx"', word),
    "--b--\r\n",
  ].join("")
  expect((await readWithPictures(Buffer.from(mail), "a.eml")).pictures).toEqual([
    ["image", "words 303", { heading: "Offer", image: 1 }],
    ["image", "words 301", { heading: "Offer", image: 2 }],
    ["image", "words 302", { heading: "costs.docx › Costs", image: 1 }],
  ])
  const archive = zipBytes({ "mails/old.msg": messageBytes({ "costs.docx": word }), "costs.docx": word })
  expect((await readWithPictures(archive, "a.zip")).pictures).toEqual([
    ["image", "words 302", { entry: "mails/old.msg", heading: "costs.docx › Costs", image: 1 }],
  ])
})

// Catches the pictures of a PDF's pages that aren't found, backgrounds, and pages that are read as a whole already.
test("finds the pictures on PDF pages", async () => {
  const grey = (width: number) => ({ width, height: 200, pixels: new Uint8Array(width * 200).fill(90) })
  const lines = [{ text: "A page with enough text that it isn't treated as a scan, about the walrus." }]
  const box = { x: 100, y: 100, width: 200, height: 100 }
  const pdf = makePdf([
    { lines, picture: grey(301), pictureBox: box },
    { lines, picture: grey(302) },
    { lines, picture: grey(40), pictureBox: { ...box, height: 20 } },
    { lines, picture: grey(303), pictureBox: box },
  ])
  expect((await readWithPictures(pdf, "a.pdf")).pictures).toEqual([
    ["image", "words 301", { page: 1, image: 1 }],
    ["image", "words 303", { page: 4, image: 1 }],
  ])
})

// Catches a document with thousands of pictures that keeps OCR busy for hours, and damaged pictures that hide the text.
test("reads a limited number of pictures, and the text of a document whose pictures are damaged", async () => {
  const pictures = Object.fromEntries(
    Array.from({ length: 205 }, (_, index) => [`p${index}`, pngOf(101 + index)]),
  )
  const bytes = wordBytes(`<w:p>${text("Many")}${Object.keys(pictures).map(blip).join("")}</w:p>`, pictures)
  const found: FoundPicture[] = []
  const notes: string[] = []
  const blocks = documentBlocks(
    { file: createMemoryFile(bytes), name: "a.docx" },
    {
      parserFor,
      note: (note) => notes.push(reasonText(note)),
      wantsPictures: true,
      leaveScans: ({ pictures = [] }) => found.push(...pictures),
    },
  )
  for await (const block of blocks) expect(block.text).toBe("Many")
  expect(found).toHaveLength(200)
  expect(notes).toEqual([
    "The text in 5 images in this document wasn't recognised, because of their size or number.",
  ])
  const damaged = Buffer.from(wordBytes(`<w:p>${text("Text")}${blip("a")}</w:p>`, { a: pngOf(300) }))
  const start = damaged.indexOf("word/media/a.png") + "word/media/a.png".length
  damaged.fill(0xff, start, start + 8)
  const read = await readWithPictures(damaged, "a.docx")
  expect(read.texts).toEqual(["Text"])
  expect(read.notes).toHaveLength(1)
})
