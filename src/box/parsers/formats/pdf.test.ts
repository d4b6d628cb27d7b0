import { describe, expect, test } from "vitest"
import { OcrNeeded, ParseFailure } from "../parser.ts"
import { pdf } from "./pdf.ts"
import { makePdf } from "../testing/make-pdf.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const body = (text: string) => ({ text })
const heading = (text: string, size = 16) => ({ text, size })

describe("text", () => {
  // Catches passages that cite the wrong page or lose their section.
  test("has its page and headings, which continue on the next page", async () => {
    const { blocks } = await parseBytes(
      pdf,
      makePdf([
        {
          lines: [
            heading("Handbook", 24),
            heading("Harbour"),
            body("Ships may enter by day."),
            body("Others wait outside."),
          ],
        },
        {
          lines: [
            body("At night a pilot comes on board."),
            body("Ask for one by radio, an hour before you arrive."),
          ],
        },
      ]),
    )
    expect(blocks).toEqual([
      { kind: "heading", text: "Handbook", location: { page: 1, heading: "Handbook" } },
      { kind: "heading", text: "Harbour", location: { page: 1, heading: "Handbook › Harbour" } },
      {
        kind: "paragraph",
        text: "Ships may enter by day.\nOthers wait outside.",
        location: { page: 1, heading: "Handbook › Harbour" },
      },
      {
        kind: "paragraph",
        text: "At night a pilot comes on board.\nAsk for one by radio, an hour before you arrive.",
        location: { page: 2, heading: "Handbook › Harbour" },
      },
    ])
  })

  // Catches paragraphs that are merged, and words that search can't find because they are split across two lines.
  test("is split at wide gaps and joined at hyphens", async () => {
    const { blocks } = await parseBytes(
      pdf,
      makePdf([
        {
          lines: [
            body("The lighthouse stands on a high prom-"),
            body("ontory."),
            body(""),
            body("It was built of granite."),
          ],
        },
      ]),
    )
    expect(blocks.map(({ text }) => text)).toEqual([
      "The lighthouse stands on a high promontory.",
      "It was built of granite.",
    ])
  })
})

describe("a page without text", () => {
  const dots = {
    width: 60,
    height: 80,
    pixels: new Uint8Array(4800).map((_, index) => (index % 7 === 0 ? 0 : 255)),
  }

  // Catches scans that fail with "no text" although OCR was never tried.
  test("requires OCR if it contains an image", async () => {
    await expect(parseBytes(pdf, makePdf([{ picture: dots }]))).rejects.toBeInstanceOf(OcrNeeded)
  })

  // Catches empty pages, and text pages with images, that wait behind scans.
  test("doesn't require OCR if it is empty or its image is next to text", async () => {
    const page = { picture: dots, lines: [body("Enough words that nobody would take this for a scan.")] }
    const { text } = await parseBytes(pdf, makePdf([{}, page]))
    expect(text).toContain("Enough words")
  })

  // Catches text of a page that is discarded because OCR found nothing on the page, and a missing or wrong note.
  test("is read by OCR, page by page, with a note", async () => {
    const area = { left: 300, top: 600, width: 600, height: 50 } // In pixels of the page at 300 dots per inch.
    const found = [[{ text: "from the scan", area }], []]
    const ocr = { recognize: () => Promise.resolve(found.shift() ?? []) }
    const pages = [
      { picture: dots },
      { picture: dots, lines: [body("Fig. 7")] },
      { lines: [body("Written text of the last page.")] },
    ]
    const { blocks, areas, notes } = await parseBytes(pdf, makePdf(pages), "scan.pdf", ocr)
    expect(blocks.map(({ text, location }) => `${location.page}: ${text}`)).toEqual([
      "1: from the scan",
      "2: Fig. 7",
      "3: Written text of the last page.",
    ])
    expect(notes).toEqual(["The text of 1 of 3 pages was recognised in pictures."])
    expect(areas[0]).toEqual({ left: 0.121, top: 0.171, width: 0.242, height: 0.0143 })
  })
})

describe("areas", () => {
  // Catches marks next to the text. PDF counts from the bottom, and rotated pages are displayed rotated.
  test("are where the text is displayed, also on rotated pages", async () => {
    const lines = [body("A paragraph of"), body("two lines.")]
    const { areas } = await parseBytes(pdf, makePdf([{ lines }, { lines, rotate: 180 }]))
    const [upright, turned] = areas
    expect(upright?.left).toBeCloseTo(60 / 595, 2)
    expect(upright?.top).toBeCloseTo((842 - 785.7 - 11) / 842, 2)
    expect(upright?.height).toBeCloseTo((2 * 11 * 1.3) / 842, 2)
    expect(upright?.width).toBeLessThan(0.2)
    expect((turned?.left ?? 0) + (turned?.width ?? 0)).toBeCloseTo(1 - (upright?.left ?? 0), 3)
    expect((turned?.top ?? 0) + (turned?.height ?? 0)).toBeCloseTo(1 - (upright?.top ?? 0), 3)
    expect(turned?.height).toBeCloseTo(upright?.height ?? 0, 3)
  })
})

// Catches damage that is reported as an internal error, or that PDFium doesn't survive.
test("200 damaged files are read as far as possible or refused with a sentence", async () => {
  const sample = makePdf([
    { lines: [heading("One"), body("Some text (with brackets).")] },
    { lines: [body("More.")] },
  ])
  let state = 7
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  for (let round = 0; round < 200; round++) {
    const mutant = Buffer.from(sample)
    for (let change = random(12); change >= 0; change--) mutant[random(mutant.length)] = random(256)
    const part = random(3) === 0 ? mutant.subarray(0, random(mutant.length)) : mutant
    await parseBytes(pdf, part, "a.pdf").catch((error: unknown) => {
      if (error instanceof ParseFailure && error.message.endsWith(".")) return
      throw new Error(`round ${round}: ${part.toString("base64")}`, { cause: error })
    })
  }
})
