import { expect, test } from "vitest"
import { detectType } from "./detect-type.ts"
import { createMemoryFile } from "./document-file.ts"
import { createParseContext, documentBlocks } from "./document-blocks.ts"
import { decodePgm } from "../ocr/page-recognition.ts"
import { type TextRecognizer, failure, type Parser, type Scan } from "../parser.ts"
import { makePdf } from "../testing/make-pdf.ts"
import { encodeTiff } from "../testing/make-picture.ts"
import { messageBytes } from "../testing/compound-files.ts"
import { docxBytes, zipBytes } from "../testing/office-files.ts"

/** Returns an image's width as text, and fails if it is 13 pixels wide. */
const ocr: TextRecognizer = {
  recognize(image) {
    const width = decodePgm(image)?.width
    if (width === 13) throw failure("picture_undecodable")
    return Promise.resolve([{ text: `${width} wide`, area: undefined }])
  },
}

const picture = (width: number) => ({ width, height: 9, pixels: new Uint8Array(width * 9) })

async function read(bytes: Uint8Array, name: string, scan?: Scan) {
  const scans: Scan[] = []
  const texts: string[] = []
  const blocks = documentBlocks(
    { file: createMemoryFile(bytes), name, ...(scan && { scan }) },
    {
      async parserFor(input) {
        const detection = await detectType(input.file, input.name)
        if ("unsupported" in detection) throw failure("type_unread", { name })
        return detection.format.load()
      },
      note: () => undefined,
      ...(scan ? { ocr } : { leaveScans: (left) => scans.push(...left.scans) }),
    },
  )
  for await (const { text, location } of blocks)
    texts.push(`[${location.entry ?? location.heading ?? ""}] ${text}`)
  return { scans, texts }
}

// Catches a scan in an attachment that delays the whole message, is read as a different scan, or fails silently.
test("leaves scans in attachments and reads them one at a time", async () => {
  const inner = messageBytes({ "deep.tif": encodeTiff(picture(31)) })
  const message = messageBytes({
    "letter.docx": docxBytes("<w:p><w:r><w:t>Dear Bob</w:t></w:r></w:p>"),
    "fax.tif": encodeTiff(picture(21), picture(22), picture(13)),
    "mixed.pdf": makePdf([
      { lines: [{ text: "A page with text about the walrus." }] },
      { picture: { width: 60, height: 80, pixels: new Uint8Array(4800) } },
    ]),
    "forwarded.msg": inner,
  })
  const { scans, texts } = await read(message, "a.msg")
  expect(texts).toEqual(["[letter.docx] Dear Bob", "[mixed.pdf] A page with text about the walrus."])
  const shown: unknown[] = []
  for (const scan of scans)
    shown.push(await read(message, "a.msg", scan).catch((error: Error) => error.message))
  expect(shown).toMatchObject([
    { texts: ["[fax.tif] 21 wide"] },
    { texts: ["[fax.tif] 22 wide"] },
    "This image is damaged, or its format isn't supported.",
    { texts: [expect.stringMatching(/^\[mixed.pdf\] \d+ wide$/)] },
    { texts: ["[forwarded.msg › deep.tif] 31 wide"] },
  ])
})

// Catches a scan in an archive that is read as a different scan, whose member has no name, or whose archive fails because it has no text yet.
test("leaves scans in archives and reads them one at a time", async () => {
  const archive = zipBytes({
    "a.tif": encodeTiff(picture(21)),
    "old.zip": zipBytes({ "b.tif": encodeTiff(picture(31), picture(32)) }),
  })
  const { scans, texts } = await read(archive, "a.zip")
  expect([scans, texts]).toEqual([
    [
      { page: 1, inside: [1] },
      { page: 1, inside: [2, 1] },
      { page: 2, inside: [2, 1] },
    ],
    [],
  ])
  expect((await read(archive, "a.zip", scans[2])).texts).toEqual(["[old.zip/b.tif] 32 wide"])
})

// Catches archives in archives that unpack to more than any memory, although each of them is small.
test("reads at most 1 GiB of documents inside a file", async () => {
  const parser: Parser = {
    async *parse() {
      yield { kind: "paragraph", text: "Text", location: {} }
    },
  }
  const context = createParseContext({ parserFor: async () => parser, note: () => undefined })
  let asked = 0
  const bytes = async (maxBytes: number) => {
    asked++
    return new Uint8Array(maxBytes)
  }
  const errors: string[] = []
  for (let number = 1; number <= 6; number++) {
    try {
      for await (const _ of context.embedded({ name: "a", bytes, role: "member" }));
    } catch (error) {
      errors.push(`${number}: ${String(error)}`)
    }
  }
  expect(errors).toEqual([expect.stringContaining("5: "), expect.stringContaining("6: ")])
  expect(asked).toBe(5)
})

// Catches an archive that gets past its limits because a mailbox inside it starts the count again.
test("counts the members of an archive on after a mailbox", async () => {
  let read = 0
  const bytes = new Uint8Array(1)
  const text: Parser = {
    async *parse() {
      read++
      yield { kind: "paragraph", text: "Tea", location: {} }
    },
  }
  const parser: Parser = {
    async *parse(_input, context) {
      for (let number = 0; number < 10_100; number++) {
        yield* context.embedded({ name: "a.txt", bytes, role: "member", parser: text })
        if (number % 1000 === 0)
          yield* context.embedded({ name: "1.eml", bytes, role: "message", parser: text })
      }
    },
  }
  const context = createParseContext({ parserFor: async () => text, note: () => undefined })
  const archive = context.embedded({ name: "a.zip", bytes, role: "member", parser })
  const readAll = async () => {
    for await (const _ of archive);
  }
  await expect(readAll()).rejects.toThrow("10,000")
  expect(read).toBeLessThan(10_100)
})

// Catches a TIFF that is read as a whole, and pages without their numbers.
test("leaves the pages of a TIFF and reads them one at a time", async () => {
  const fax = encodeTiff(picture(21), picture(22))
  const { scans, texts } = await read(fax, "fax.tif")
  expect([scans, texts]).toEqual([[{ page: 1 }, { page: 2 }], []])
  expect((await read(fax, "fax.tif", { page: 2 })).texts).toEqual(["[] 22 wide"])
})

// Catches words that no search finds because of characters that no one sees, and emoji or Persian words that lose their joiners.
test("removes invisible characters inside words, and keeps those with a meaning", async () => {
  const text = "no\u2060break\ufeffword Wert\u00adpapier\u200bindex Auf\u200clage 12\u200e34 \u00ad"
  const { texts } = await read(Buffer.from(`${text}\n\nمی\u200cخواهم 👩\u200d🔬 क्\u200dष\n\n\u200b`), "a.txt")
  expect(texts.map((each) => each.trim())).toEqual([
    "[] nobreakword Wertpapierindex Auflage 1234",
    "[] می\u200cخواهم 👩\u200d🔬 क्\u200dष",
  ])
})
