import { describe, expect, test } from "vitest"
import { OcrNeeded, ParseFailure } from "../parser.ts"
import { pdf } from "./pdf.ts"
import { makePdf } from "../testing/make-pdf.ts"
import { createRandom, parseBytes } from "../testing/parse-bytes.ts"

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

  // Catches sentences that end at each raised or lowered character, and powers and marks of notes that become part of a number.
  test("continues after raised and lowered characters", async () => {
    // Positions are those of Helvetica.
    const parts: [text: string, x: number, shift?: number][] = [
      ["Formed", 50],
      ["CO", 90],
      ["2", 106.5, -3],
      ["and 10", 113.5],
      ["6", 146.5, 4],
      ["m", 153],
      ["2", 162.2, 4],
      [", as of 2023", 165.7],
      ["1", 224.5, 4],
      [". It ended.", 228],
    ]
    const placed = parts.map(([text, x, shift = 0]) => ({
      text,
      x,
      y: 700 + shift,
      size: shift === 0 ? 11 : 6.4,
    }))
    const { blocks } = await parseBytes(
      pdf,
      makePdf([{ placed: [...placed, { text: "Next line.", x: 50, y: 686 }] }]),
    )
    expect(blocks.map(({ text }) => text)).toEqual([
      "Formed CO2 and 10^6 m2, as of 2023^1. It ended.\nNext line.",
    ])
  })

  // Catches narrow characters of text that runs upwards or downwards, which are taken for raised ones.
  test.each([90, 180, 270] as const)("turned by %s degrees keeps its narrow characters", async (angle) => {
    const placed = { text: "Chairs 10- and 20- to 30l", x: 300, y: 400, angle }
    const { blocks } = await parseBytes(pdf, makePdf([{ placed: [placed] }]))
    expect(blocks.map(({ text }) => text)).toEqual([placed.text])
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
    const words = body("Enough words that no one would take this for a scan, over several lines.")
    const page = { picture: dots, lines: [words, words, words] }
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
    expect(notes).toEqual(["The text of 1 of 3 pages was recognised in images."])
    expect(areas[0]).toEqual({ left: 0.121, top: 0.171, width: 0.242, height: 0.0143 })
  })

  // Catches a scan that isn't read because it has a stamp or a number, and a stamp that is lost or read twice.
  test("but a stamp is read by OCR and keeps its stamp", async () => {
    const found = [
      { text: "The whole letter", area: undefined },
      { text: "ABC 0001", area: undefined },
    ]
    const ocr = { recognize: () => Promise.resolve(found) }
    const page = { picture: dots, lines: [body("ABC 0001 Subject to a protective order")] }
    const { blocks } = await parseBytes(pdf, makePdf([page]), "scan.pdf", ocr)
    expect(blocks.map(({ text }) => text)).toEqual([
      "ABC 0001 Subject to a protective order",
      "The whole letter",
    ])
  })
})

/** Texts drawn in this order: each at its column and row. */
const at = (column: number, row: number, text: string) => ({ text, x: 60 + column * 240, y: 700 - row * 16 })

const left = [
  "The harbour was built of granite",
  "by the town in the year of the",
  "great storm, and it has held",
]
const right = [
  "Ships pay their dues by length",
  "at the office on the quay before",
  "they leave it for the open sea.",
]

describe("the layout of a page", () => {
  // Catches sentences that are cut by the text of the next column.
  test("has columns of prose one after the other, although they are drawn row by row", async () => {
    const placed = left.flatMap((text, row) => [at(0, row, text), at(1, row, right[row] ?? "")])
    const { blocks } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(blocks.map(({ text }) => text)).toEqual([left.join("\n"), right.join("\n")])
  })

  // Catches values that are separated from the names in their row.
  test.each([
    ["by columns", (rows: number, columns: number) => [columns, rows]],
    ["by rows", (rows: number, columns: number) => [rows, columns]],
  ] as const)("has the rows of a table that is drawn %s", async (_, order) => {
    const table = [
      ["Item", "Price"],
      ["Tent", "310 EUR"],
      ["Old stove", ""],
      ["Lamp", "19 EUR"],
    ]
    const [outer = 0, inner = 0] = order(table.length, 2)
    const placed = Array.from({ length: outer * inner }, (_, index) => {
      const [first, second] = [Math.floor(index / inner), index % inner]
      const [row, column] = outer === 2 ? [second, first] : [first, second]
      return at(column, row, table[row]?.[column] ?? "")
    }).filter(({ text }) => text !== "")
    const { blocks } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(blocks.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      "table-header: Item | Price",
      "table-row: Tent | 310 EUR",
      "table-row: Old stove |",
      "table-row: Lamp | 19 EUR",
    ])
  })

  // Catches lines of wrapped cells that become rows of their own, or join the wrong row.
  test.each([
    ["that rules part", 16, true],
    ["that space parts", 24, false],
  ])("has wrapped cells in their row, %s", async (_, height, isRuled) => {
    const rows = [
      ["Alder", "grows near", "12"],
      ["Birch tree", "needs much light", "7"],
      ["Cedar", "is old", "310"],
    ]
    const wrapped: Record<string, [string, string]> = {
      "Birch tree": ["Birch", "tree"],
      "needs much light": ["needs much", "light"],
    }
    let y = 700
    const tops = [y]
    const placed = rows.flatMap((row) => {
      const first = y - 12
      y -= height + (row[0] === "Birch tree" ? 13 : 0)
      tops.push(y)
      return row.flatMap((cell, column) =>
        (wrapped[cell] ?? [cell]).map((text, line) => ({ text, x: 64 + column * 150, y: first - line * 13 })),
      )
    })
    const boxes = [
      ...tops.map((top) => ({ x: 60, y: top, width: 450, height: 0.5 })),
      ...[0, 1, 2, 3].map((column) => ({ x: 60 + column * 150, y, width: 0.5, height: 700 - y })),
    ]
    const { blocks } = await parseBytes(pdf, makePdf([{ placed, ...(isRuled && { boxes }) }]))
    expect(blocks.map(({ text }) => text)).toEqual(rows.map((row) => row.join(" | ")))
  })

  // Catches positions of an invoice that are taken for prose because they are long, and text below that becomes a row.
  test("has the positions and sums of an invoice as rows", async () => {
    const rows = [
      ["Consulting on site in Milano including travel", "3", "450.00", "1,350.00"],
      ["Licence", "1", "99.00", "99.00"],
      ["Support by telephone and mail for a whole year", "12", "20.00", "240.00"],
      ["", "", "Net", "1,689.00"],
      ["", "", "Total", "2,060.58"],
    ]
    const placed = rows.flatMap((row, index) =>
      row.flatMap((text, column) =>
        text === "" ? [] : [{ text, x: [60, 330, 380, 460][column] ?? 0, y: 700 - index * 18 }],
      ),
    )
    const below = { text: "Please pay within 30 days.", x: 60, y: 590 }
    const { blocks } = await parseBytes(pdf, makePdf([{ placed: [...placed, below] }]))
    expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
      ...rows.map((row) => ["table-row", row.join(" | ").trim().replace("|  |", "| |")]),
      ["paragraph", below.text],
    ])
  })

  // Catches columns that are mixed when their lines aren't level, or lines that keep the order in which they are drawn.
  test("has columns below a title, although they aren't level and are drawn in no order", async () => {
    const title = { text: "The harbour and its dues", x: 60, y: 740, size: 18 }
    const lines = [
      ...left.map((text, row) => at(0, row, text)),
      ...right.map((text, row) => ({ ...at(1, row, text), y: 693 - row * 16 })),
    ]
    const placed = [4, 1, 5, 0, 2, 3].flatMap((index) => lines[index] ?? [])
    const { blocks } = await parseBytes(pdf, makePdf([{ placed: [...placed, title] }]))
    expect(blocks.map(({ text }) => text)).toEqual([title.text, left.join("\n"), right.join("\n")])
  })

  // Catches footnotes far below the text that are mixed when they are drawn row by row.
  test("has footnotes of columns one after the other", async () => {
    const notes = [
      "1 In force since last year and",
      "2 Paid at the office near the",
      "until it is replaced.",
      "old quay.",
    ]
    const placed = [
      ...left.flatMap((text, row) => [at(0, row, text), at(1, row, right[row] ?? "")]),
      ...notes.map((text, index) => ({
        text,
        x: 60 + (index % 2) * 240,
        y: 60 - Math.floor(index / 2) * 9,
        size: 7,
      })),
    ]
    const { blocks } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(blocks.slice(2).map(({ text }) => text)).toEqual([
      `${notes[0]}\n${notes[2]}`,
      `${notes[1]}\n${notes[3]}`,
    ])
  })

  // Catches notes in the margin that interrupt sentences.
  test("has side notes apart from the text next to them", async () => {
    const text = [...left, ...right]
    const placed = text.flatMap((line, row) => [
      at(0, row, line),
      ...(row === 1 || row === 2
        ? [{ ...at(0, row, `side note ${row}`), x: 320, y: 693 - row * 9, size: 7 }]
        : []),
    ])
    const { blocks } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(blocks.map((block) => block.text)).toEqual([text.join("\n"), "side note 1\nside note 2"])
  })

  // Catches footnotes between the columns, which interrupt a sentence.
  test("has the footnotes of columns at the end of the page", async () => {
    const note = { text: "1 In force since last year.", x: 60, y: 630, size: 7 }
    const placed = [
      ...left.map((text, row) => at(0, row, text)),
      note,
      ...right.map((text, row) => at(1, row, text)),
    ]
    const { blocks } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(blocks.map(({ text }) => text)).toEqual([left.join("\n"), right.join("\n"), note.text])
  })

  // Catches words that can't be found because the columns next to each other were drawn row by row.
  test("joins hyphenated words of columns that are drawn row by row", async () => {
    const first = [
      "The lighthouse stands on a prom-",
      "ontory that is rather high and",
      "was built of granite long ago.",
    ]
    const placed = first.flatMap((text, row) => [at(0, row, text), at(1, row, right[row] ?? "")])
    const { blocks } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(blocks[0]?.text).toContain("on a promontory that")
  })

  // Catches text that runs upwards or downwards and is read as if it ran to the right.
  test.each([90, 270] as const)("is the same when its text is rotated by %s°", async (angle) => {
    const placed = left.flatMap((text, row) => [at(0, row, text), at(1, row, right[row] ?? "")])
    const rotated = placed.map(({ text, x, y }) => ({
      text,
      angle,
      ...(angle === 90 ? { x: 800 - y, y: x } : { x: y - 300, y: 800 - x }),
    }))
    const { blocks, areas } = await parseBytes(pdf, makePdf([{ placed: rotated }]))
    expect(blocks.map(({ text }) => text)).toEqual([left.join("\n"), right.join("\n")])
    for (const area of areas) expect(area?.height).toBeGreaterThan(2 * (area?.width ?? 1))
  })

  // Catches a page that takes minutes because each word is compared with each other one.
  test("is found for 20,000 words in no order", async () => {
    const random = createRandom(5)
    const placed = Array.from({ length: 20_000 }, () => ({
      text: "x",
      x: random(580),
      y: random(830),
      size: 2,
    }))
    const { text } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(text.match(/x/g)?.length).toBeGreaterThan(10_000)
  })

  // Catches list items that are taken for a table because of the gap after their markers.
  test("has list items as lines", async () => {
    const items = ["first thing to do", "second thing to do", "third thing to do"]
    const placed = items.flatMap((text, row) => [
      { ...at(0, row, `${row + 1}.`) },
      { ...at(0, row, text), x: 90 },
    ])
    const { blocks } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
      ["paragraph", items.map((text, row) => `${row + 1}. ${text}`).join("\n")],
    ])
  })

  // Catches a page that is read from its bottom.
  test("is read from the top, although it is drawn from the bottom", async () => {
    const lines = ["One line of it", "and another line", "and a third line", "and the last line"]
    const placed = lines.map((text, row) => at(0, row, text)).toReversed()
    const { text } = await parseBytes(pdf, makePdf([{ placed }]))
    expect(text).toBe(lines.join("\n"))
  })
})

describe("running lines", () => {
  const body = (page: number) => left.map((text, row) => at(0, row, `${page} ${text}`))
  const pageTexts = async (pages: Parameters<typeof makePdf>[0]) => {
    const { blocks } = await parseBytes(pdf, makePdf(pages))
    return pages.map((_, index) =>
      blocks.filter(({ location }) => location.page === index + 1).map(({ text }) => text),
    )
  }
  const bodyText = (page: number) => left.map((text) => `${page} ${text}`).join("\n")

  // Catches titles and page numbers that fill passages, and a title that is lost.
  test("are left out, except for the first one of each text", async () => {
    const texts = await pageTexts(
      [1, 2, 3, 4, 5, 6].map((page) => ({
        placed: [
          { text: page < 4 ? "Rules of the harbour" : "Dues of the harbour", x: 60, y: 800 },
          ...body(page),
          { text: `Version 2.1, page ${page} of 6`, x: 60, y: 40 },
          { text: `- ${page} -`, x: 300, y: 20 },
        ],
      })),
    )
    expect(texts).toEqual([
      ["Rules of the harbour", bodyText(1), "Version 2.1, page 1 of 6"],
      [bodyText(2)],
      [bodyText(3)],
      ["Dues of the harbour", bodyText(4)],
      [bodyText(5)],
      [bodyText(6)],
    ])
  })

  // Catches text that is taken for a running line: the header of a table, numbers that differ, and the first line of a page.
  test("aren't headers of tables, lines with other numbers or lines of the text", async () => {
    const pages = [1, 2, 3].map((page) => ({
      placed: [
        { text: "Item", x: 60, y: 800 },
        { text: "Price", x: 300, y: 800 },
        { text: `Tent ${page}`, x: 60, y: 784 },
        { text: `${page * 310} EUR`, x: 300, y: 784 },
        ...body(page),
        { text: `Sum ${page * page * 100}`, x: 60, y: 40 },
      ],
    }))
    expect(await pageTexts(pages)).toEqual(
      [1, 2, 3].map((page) => [
        "Item | Price",
        `Tent ${page} | ${page * 310} EUR`,
        bodyText(page),
        `Sum ${page * page * 100}`,
      ]),
    )
    const same = [1, 2, 3].map(() => ({
      lines: Array.from({ length: 50 }, () => ({ text: "The same line." })),
    }))
    const [first, second] = await pageTexts(same)
    expect(second).toEqual(first)
    const alone = [1, 2, 3, 4].map(() => ({ lines: [{ text: "Nothing here." }] }))
    expect(await pageTexts(alone)).toEqual(alone.map(() => ["Nothing here."]))
  })

  // Catches numbers of scanned pages, by which people look for them, that are lost.
  test("of scans are kept", async () => {
    const picture = { width: 60, height: 80, pixels: new Uint8Array(4800) }
    const pages = [1, 2, 3].map((page) => ({ picture, placed: [{ text: `ABC ${page}`, x: 500, y: 20 }] }))
    const ocr = { recognize: () => Promise.resolve([]) }
    const { blocks } = await parseBytes(pdf, makePdf(pages), "scan.pdf", ocr)
    expect(blocks.map(({ text }) => text)).toEqual(["ABC 1", "ABC 2", "ABC 3"])
  })
})

describe("annotations", () => {
  // Catches a filled-in form, typed text and comments that aren't found, because no program has drawn them.
  test("without an appearance are read: values of fields, typed text and comments", async () => {
    const rect = (x: number, y: number) => `/Rect [${x} ${y} ${x + 150} ${y + 14}]`
    const page = {
      placed: [at(0, 0, "Surname:"), at(0, 2, "Married:")],
      annotations: [
        `/Subtype /Widget /FT /Tx /T (surname) /V (Okapi) ${rect(300, 697)}`,
        `/Subtype /Widget /FT /Btn /T (married) /AS /Yes /V /Yes ${rect(300, 665)}`,
        `/Subtype /FreeText /Contents (typed by hand) ${rect(60, 500)}`,
        `/Subtype /Text /Contents (Ask the lawyer.) ${rect(500, 697)}`,
        `/Subtype /Text /F 2 /Contents (A hidden one.) ${rect(500, 600)}`,
      ],
    }
    const { blocks } = await parseBytes(pdf, makePdf([page]))
    expect(blocks.map(({ text }) => text)).toEqual([
      "Surname: | Okapi",
      "Married: | [x]",
      "typed by hand",
      "Ask the lawyer.",
    ])
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
