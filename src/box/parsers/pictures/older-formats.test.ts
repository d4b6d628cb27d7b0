import { CFB, utils, write } from "@e965/xlsx"
import { expect, test } from "vitest"
import { ParseFailure } from "../parser.ts"
import {
  atom,
  bitmapOf,
  container,
  metafileOf,
  metafileRecord,
  numbers,
  pictureRecord,
  pictureShape,
  storedPictures,
} from "../testing/art-bytes.ts"
import {
  compoundBytes,
  cryptoApi,
  pptBytes,
  wordBytes,
  type OldEncryption,
} from "../testing/compound-files.ts"
import { relationships, zipBytes } from "../testing/office-files.ts"
import { xlsbParts } from "../testing/xlsb-parts.ts"
import { createRandom, mutate } from "../testing/parse-bytes.ts"
import { pngOf, readWithPictures } from "../testing/read-with-pictures.ts"

/** Creates the data of a picture in the line: lengths, and the picture of its shape. */
function inlineData(picture: Buffer): Buffer {
  const shape = Buffer.concat([container(0xf004, [atom(0xf00a, numbers(1, 0))]), picture])
  const head = Buffer.alloc(68)
  head.writeUInt32LE(68 + shape.length, 0)
  head.writeUInt16LE(68, 4)
  head.writeUInt16LE(0x64, 6)
  return Buffer.concat([head, shape])
}

/** A Word document with a picture in the line, one with a place of its own, a hidden one, a drawing and one in a header. */
function docBytes(encryption?: OldEncryption): Buffer {
  const body = "Costs\rSee \x01 here \x01 and \x01\rPlan\r\x08Shape\r"
  const pictures = [pngOf(301), pngOf(302), pngOf(303)].map((png) => inlineData(pictureRecord(png)))
  const drawing = inlineData(metafileRecord(metafileOf(Buffer.alloc(0))))
  const data = Buffer.concat([...pictures, drawing])
  const [first = 0, second = 0, third = 0] = pictures.map(({ length }) => length)
  const placed = (at: number, more = Buffer.alloc(0)) =>
    Buffer.concat([Buffer.of(0x03, 0x6a), numbers(at), more])
  const hidden = Buffer.of(0x3c, 0x08, 1)
  const none = Buffer.alloc(0)
  const text = `${body}\x01\r`
  const places = text.split("").flatMap((character, index) => (character === "\x01" ? [index] : []))
  const properties = [
    placed(0),
    placed(first, hidden),
    placed(first + second + third),
    placed(first + second),
  ]
  const position = Buffer.alloc(26)
  position.writeUInt32LE(77, 0)
  return wordBytes({
    pieces: [text, "\r"],
    headings: { 0: 1, 2: 1 },
    lengths: [body.length, 0, 2],
    characters: places.flatMap((place, index) => [
      [place, none] as const,
      [place + 1, properties[index] ?? none] as const,
    ]),
    data,
    parts: {
      0x22a: Buffer.concat([
        storedPictures([pngOf(304)], "inside"),
        Buffer.of(0),
        container(0xf002, [container(0xf003, [pictureShape(77, 1)])]),
      ]),
      0x1da: Buffer.concat([numbers(body.indexOf("\x08"), body.length), position]),
    },
    ...(encryption && { encryption }),
  })
}

// Catches pictures that are lost, hidden, in headers or cited under the wrong heading, and drawings taken for pictures.
test("finds the pictures in older Word documents", async () => {
  const shown = [
    ["image", "words 301", { heading: "Costs", image: 1 }],
    ["image", "words 304", { heading: "Plan", image: 2 }],
  ]
  expect((await readWithPictures(docBytes(), "a.doc")).pictures).toEqual(shown)
  const locked = docBytes(cryptoApi("pass"))
  expect((await readWithPictures(locked, "a.doc", { password: "pass" })).pictures).toEqual(shown)
  expect((await readWithPictures(docBytes(), "a.doc", { marksHidden: true })).pictures).toEqual([
    shown[0],
    ["image", "words 302", { heading: "Costs", image: 2 }, "hidden"],
    ["image", "words 304", { heading: "Plan", image: 3 }],
  ])
})

// Catches pictures on the wrong slide, and those of hidden slides.
test("finds the pictures in older presentations", async () => {
  const pictures = [pngOf(301), pngOf(302)]
  expect((await readWithPictures(pptBytes({ pictures }), "a.ppt")).pictures).toEqual([
    ["image", "words 301", { slide: 1, heading: "Welcome", image: 1 }],
    ["image", "words 302", { slide: 1, heading: "Welcome", image: 2 }],
  ])
  const hidden = pptBytes({ pictures, hidesFirst: true })
  expect((await readWithPictures(hidden, "a.ppt")).pictures).toEqual([])
  expect((await readWithPictures(hidden, "a.ppt", { marksHidden: true })).pictures).toHaveLength(2)
})

const book = utils.book_new()
utils.book_append_sheet(book, utils.aoa_to_sheet([["Item"], ["Oak"]]), "Stock")

const record = (type: number, content: Buffer) =>
  Buffer.concat([Buffer.from(Uint16Array.of(type, content.length).buffer), content])

/** Creates records of a part that is longer than a record may be. */
const longRecord = (type: number, content: Buffer) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(content.length / 8224) }, (_, index) =>
      record(index === 0 ? type : 0x3c, content.subarray(index * 8224, (index + 1) * 8224)),
    ),
  )

/** A workbook of Excel 97 with this list of pictures, and a sheet with this drawing. */
function xlsBytes(pictures: Buffer, drawing: Buffer): Buffer {
  const workbook = CFB.read(write(book, { type: "buffer", bookType: "biff8" }) as Buffer, { type: "buffer" })
  const stream = Buffer.from(CFB.find(workbook, "Workbook")?.content ?? [])
  let [end, sheetAt] = [0, 0]
  for (let at = 0; end === 0; at += 4 + stream.readUInt16LE(at + 2)) {
    if (stream.readUInt16LE(at) === 0x85) sheetAt = at + 4
    if (stream.readUInt16LE(at) === 0x0a) end = at
  }
  const added = longRecord(0xeb, pictures)
  const sheet = stream.readUInt32LE(sheetAt)
  stream.writeUInt32LE(sheet + added.length, sheetAt)
  const afterStart = sheet + 4 + stream.readUInt16LE(sheet + 2)
  return compoundBytes({
    Workbook: Buffer.concat([
      stream.subarray(0, end),
      added,
      stream.subarray(end, afterStart),
      record(0xec, drawing),
      stream.subarray(afterStart),
    ]),
  })
}

// Catches pictures that are lost because the list of pictures is in several records, and drawings taken for pictures.
test("finds the pictures in older workbooks at their cells", async () => {
  const metafile = metafileRecord(metafileOf(bitmapOf(302)))
  const bytes = xlsBytes(
    storedPictures([pngOf(301), metafile, metafileRecord(metafileOf(Buffer.alloc(0)))], "inside"),
    container(0xf002, [
      pictureShape(1, 1, 2, 4),
      pictureShape(2, 2, 0, 1),
      pictureShape(3, 3),
      pictureShape(4, 9),
    ]),
  )
  expect((await readWithPictures(bytes, "a.xls")).pictures).toEqual([
    ["image", "words 301", { sheet: "Stock", row: 5, column: 3, image: 1 }],
    ["image", "words 302", { sheet: "Stock", row: 2, column: 1, image: 2 }],
  ])
})

// Catches drawings of binary workbooks that aren't found, because their sheets aren't XML.
test("finds the pictures and text boxes in binary workbooks", async () => {
  const anchor = (shape: string) =>
    `<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>6</xdr:row></xdr:from>${shape}</xdr:twoCellAnchor>`
  const box = "<xdr:sp><xdr:txBody><a:p><a:r><a:t>In a box</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
  const bytes = zipBytes({
    ...xlsbParts(book),
    "xl/worksheets/_rels/sheet1.bin.rels": relationships({ d: ["drawing", "../drawings/drawing1.xml"] }),
    "xl/drawings/drawing1.xml": `<xdr:wsDr>${anchor('<xdr:pic><a:blip r:embed="a"/></xdr:pic>')}${anchor(box)}</xdr:wsDr>`,
    "xl/drawings/_rels/drawing1.xml.rels": relationships({ a: ["image", "../media/1.png"] }),
    "xl/media/1.png": pngOf(301),
  })
  const { texts, pictures } = await readWithPictures(bytes, "a.xlsb")
  expect(texts).toEqual(["Item", "Oak", "In a box"])
  expect(pictures).toEqual([["image", "words 301", { sheet: "Stock", row: 7, column: 2, image: 1 }]])
})

const inHex = (bytes: Buffer) => bytes.toString("hex").replaceAll(/.{128}/g, "$&\n")
const pict = (word: string, bytes: Buffer) => `{\\pict{\\*\\picprop ffff}\\picw9\\${word} ${inHex(bytes)}}`

const rtfSample = Buffer.concat([
  Buffer.from(
    `{\\rtf1\\ansi{\\stylesheet{\\s1 heading 1;}}{\\header ${pict("pngblip", pngOf(300))}}\\s1 Costs\\par\\pard ` +
      `See {\\*\\shppict${pict("pngblip", pngOf(301))}}{\\nonshppict${pict("wmetafile8", metafileOf(bitmapOf(309)))}} here\\par ` +
      `{\\v ${pict("pngblip", pngOf(302))}}${pict("wmetafile8", metafileOf(bitmapOf(303)))}${pict("emfblip", pngOf(308))}` +
      `{\\shp{\\*\\shpinst{\\sp{\\sn fillBlip}{\\sv ${pict("pngblip", pngOf(307))}}}{\\sp{\\sn pib}{\\sv ${pict("pngblip", pngOf(304))}}}}{\\shprslt ${pict("dibitmap0", bitmapOf(306))}}}` +
      `{\\pict\\dibitmap0 ${inHex(bitmapOf(305))}}{\\pict\\pngblip\\bin${pngOf(310).length} `,
  ),
  pngOf(310),
  Buffer.from("}End\\par}"),
])

// Catches pictures that are read twice because a program repeats them, and those of headers and fills.
test("finds the pictures in RTF", async () => {
  const { texts, pictures } = await readWithPictures(rtfSample, "a.rtf")
  expect(texts).toEqual(["Costs", "See here", "End"])
  expect(pictures).toEqual(
    [301, 303, 304, 305, 310].map((width, index) => [
      "image",
      `words ${width}`,
      { heading: "Costs", image: index + 1 },
    ]),
  )
  const marked = await readWithPictures(rtfSample, "a.rtf", { marksHidden: true })
  expect(marked.pictures[1]).toEqual(["image", "words 302", { heading: "Costs", image: 2 }, "hidden"])
  const { pictures: unwanted } = await readWithPictures(rtfSample, "a.rtf", { wantsPictures: false })
  expect(unwanted).toEqual([])
})

const uri = (png: Buffer) => `data:image/png;base64,${png.toString("base64")}`
const markdownSample = Buffer.from(
  `# Costs\n\nSee ![chart](${uri(pngOf(301))}) and ![other][id] here\n\n| a | b |\n|---|---|\n| ![](<${uri(pngOf(302))}>) | 1 |\n\n` +
    `\`\`\`\n![](${uri(pngOf(303))})\n\`\`\`\n\n## Plan\n\n<img src="${uri(pngOf(304))}">\n\n![](file.png) ![](https://example.org/a.png)\n\n[id]: ${uri(pngOf(305))}\n`,
)

// Catches pictures of code examples, which show their source, and image files that it only links, which aren't read.
test("finds the pictures in Markdown", async () => {
  const { texts, pictures } = await readWithPictures(markdownSample, "a.md")
  expect(pictures).toEqual([
    ["image", "words 301", { line: 3, heading: "Costs", image: 1 }],
    ["image", "words 302", { line: 7, heading: "Costs", image: 2 }],
    ["image", "words 304", { line: 15, heading: "Costs › Plan", image: 3 }],
    ["image", "words 305", { line: 19, heading: "Costs › Plan", image: 4 }],
  ])
  expect((await readWithPictures(markdownSample, "a.md", { wantsPictures: false })).texts).toEqual(texts)
  expect(texts.join("\n")).toContain("See chart and")
})

const drawing = container(0xf002, [pictureShape(1, 1, 2, 4), pictureShape(2, 2)])
const stored = storedPictures([pngOf(301), metafileRecord(metafileOf(bitmapOf(302)))], "inside")
const samples: Record<string, [part: Buffer, build: (part: Buffer) => Buffer]> = {
  "a.doc": [docBytes(), (part) => part],
  "a.ppt": [pptBytes({ pictures: [pngOf(301)] }), (part) => part],
  "a.rtf": [rtfSample, (part) => part],
  "a.md": [markdownSample, (part) => part],
  // The library for the cells of damaged workbooks may loop, so only the pictures are damaged.
  "b.xls": [drawing, (part) => xlsBytes(stored, part)],
  "c.xls": [stored, (part) => xlsBytes(part, drawing)],
}

// A damaged picture is left out, or the file is refused with a sentence. Any other error would be logged as an internal one.
test.for(Object.entries(samples))("damaged pictures in %s", async ([name, [part, build]]) => {
  const random = createRandom(name.length)
  for (let round = 0; round < 60; round++) {
    const damaged = random(2) === 0 ? mutate(part, random) : damageNumbers(part, random)
    const bytes = build(damaged)
    await readWithPictures(bytes, name).catch((error: unknown) => {
      if (!(error instanceof ParseFailure))
        throw new Error(`round ${round}: ${bytes.toString("base64")}`, { cause: error })
    })
  }
})

/** Changes the lengths and types of some records, which are rare among the bytes of pictures. */
function damageNumbers(part: Buffer, random: (below: number) => number): Buffer {
  const damaged = Buffer.from(part)
  for (let change = 0; change < 20; change++) {
    const at = damaged.indexOf(0xf0, random(damaged.length))
    if (at >= 0) damaged.writeUInt8(random(256), Math.min(damaged.length - 1, at - 3 + random(12)))
  }
  return damaged
}
