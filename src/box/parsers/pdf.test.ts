import { describe, expect, test } from "vitest"
import { OcrNeeded } from "./ocr/text-recognizer.ts"
import { ParseFailure } from "./parser.ts"
import { pdf } from "./pdf.ts"
import { makePdf } from "./testing/make-pdf.ts"
import { parseBytes } from "./testing/parse-bytes.ts"

const body = (text: string) => ({ text })
const heading = (text: string, size = 16) => ({ text, size })

describe("text", () => {
  // Catches passages that cite the wrong page or lose the section they stand in.
  test("knows its page and headings, which go on over the page", async () => {
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

  // Catches paragraphs that run together, and words that a search can't find because a line ends within them.
  test("is cut at wider gaps and joined at hyphens", async () => {
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

  // Catches scans that end as "no text" although OCR was never tried.
  test("asks for OCR when it holds a picture", async () => {
    await expect(parseBytes(pdf, makePdf([{ picture: dots }]))).rejects.toBeInstanceOf(OcrNeeded)
  })

  // Catches empty pages, and text pages with pictures, that wait behind scans.
  test("doesn't when it is empty or its picture has text beside it", async () => {
    const page = { picture: dots, lines: [body("Enough words that nobody would take this for a scan.")] }
    const { text } = await parseBytes(pdf, makePdf([{}, page]))
    expect(text).toContain("Enough words")
  })

  // Catches text of a page that is thrown away because OCR found nothing on it, and a missing or wrong note.
  test("is read by OCR, page by page, with a note", async () => {
    const found = [["from the scan"], []]
    const ocr = { recognize: () => Promise.resolve(found.shift() ?? []) }
    const pages = [
      { picture: dots },
      { picture: dots, lines: [body("Fig. 7")] },
      { lines: [body("Written text of the last page.")] },
    ]
    const { blocks, notes } = await parseBytes(pdf, makePdf(pages), "scan.pdf", ocr)
    expect(blocks.map(({ text, location }) => `${location.page}: ${text}`)).toEqual([
      "1: from the scan",
      "2: Fig. 7",
      "3: Written text of the last page.",
    ])
    expect(notes).toEqual(["1 of 3 pages by OCR."])
  })
})

// Catches damage that is reported as a fault of the program, or that PDFium doesn't survive.
test(
  "200 damaged files are read as far as possible or refused with a sentence",
  { timeout: 60_000 },
  async () => {
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
  },
)
