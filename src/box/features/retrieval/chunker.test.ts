import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import type { Block } from "../../parsers/parser.ts"
import { citedLine } from "./cited-line.ts"
import { chunk, chunkerVersion, type Chunk } from "./chunker.ts"

async function chunks(blocks: Block[], size?: number): Promise<Chunk[]> {
  async function* stream() {
    yield* blocks
  }
  const found: Chunk[] = []
  for await (const one of size === undefined ? chunk(stream()) : chunk(stream(), size)) found.push(one)
  return found
}

const paragraph = (text: string, location: Block["location"] = {}): Block => ({
  kind: "paragraph",
  text,
  location,
})
const sentence = (word: string) =>
  `${word} ${"reads like an ordinary sentence of some length ".repeat(3).trim()}. `

describe("chunk", () => {
  test("short paragraphs share a passage, numbered and located by the first one", async () => {
    expect(await chunks([paragraph("One.", { line: 1 }), paragraph("Two.", { line: 3 })])).toEqual([
      {
        text: "One.\n\nTwo.",
        location: {
          line: 1,
          lines: [
            [0, 1],
            [6, 3],
          ],
        },
        position: 0,
      },
    ])
  })

  // Catches passages that mix two messages or members, and passages from which no one can tell the member.
  test("messages and members of archives have passages of their own", async () => {
    const inEntry = { entry: "2024/a.txt", heading: "Fees" }
    const blocks: Block[] = [
      paragraph("One.", { message: 1 }),
      paragraph("Two.", { message: 2 }),
      { kind: "heading", text: "2024/a.txt", location: { entry: "2024/a.txt" } },
      paragraph(sentence("Three").repeat(5), inEntry),
      paragraph(sentence("Four").repeat(5), inEntry),
    ]
    expect(
      (await chunks(blocks)).map(({ text }) => text.split("\n").map((line) => line.slice(0, 10))),
    ).toEqual([["One."], ["Two."], ["2024/a.txt", "Three read"], ["2024/a.txt", "Fees", "Four reads"]])
  })

  // Catches the newest text of an email that is found only together with what it repeats.
  test("what an email repeats of earlier ones has passages of its own", async () => {
    const quote: Block = { kind: "quote", text: "> Old.", location: {} }
    expect((await chunks([paragraph("New."), quote, quote])).map(({ text }) => text)).toEqual([
      "New.",
      "> Old.\n\n> Old.",
    ])
  })

  test("an empty document and blank blocks produce no passage", async () => {
    expect(await chunks([])).toEqual([])
    expect(await chunks([paragraph("  \n ")])).toEqual([])
  })

  test("nothing is lost and no passage exceeds the size", async () => {
    const words = Array.from({ length: 3_000 }, (_, number) => `word${number}`)
    const found = await chunks([
      paragraph(words.slice(0, 1_500).join(" ")),
      paragraph(words.slice(1_500).join(" ")),
    ])
    const seen = new Set(found.flatMap(({ text }) => text.split(/\s+/)))
    expect(words.filter((word) => !seen.has(word))).toEqual([])
    expect(Math.max(...found.map(({ text }) => text.length))).toBeLessThanOrEqual(1_000)
    expect(found.map(({ position }) => position)).toEqual(found.map((_, index) => index))
  })

  test("a long text is cut between sentences, and each part repeats the end of the previous one", async () => {
    const text = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta"].map(sentence).join("")
    const [first, second] = await chunks([paragraph(text)], 600)
    expect(first?.text.trimEnd().endsWith(".")).toBe(true)
    const repeated = second?.text.slice(0, 30) ?? "-"
    expect(first?.text).toContain(repeated)
  })

  test("text without spaces is also cut, but never inside a character", async () => {
    const found = await chunks([paragraph("𠮷野家".repeat(600))], 500)
    expect(found.length).toBeGreaterThan(2)
    for (const { text } of found) expect(text).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/)
  })

  test("a passage never continues on another page", async () => {
    const found = await chunks([
      paragraph("End of one.", { page: 1 }),
      paragraph("Start of two.", { page: 2 }),
    ])
    expect(found.map(({ text, location }) => [text, location.page])).toEqual([
      ["End of one.", 1],
      ["Start of two.", 2],
    ])
  })

  test("a section starts a passage, and a passage within a section names it", async () => {
    const heading: Block = {
      kind: "heading",
      text: "Refunds",
      location: { heading: "Terms › Refunds", line: 9 },
    }
    const long = (line: number) =>
      paragraph(sentence("Money").repeat(4), { heading: "Terms › Refunds", line })
    const found = await chunks([paragraph(sentence("Before").repeat(2)), heading, long(10), long(12)], 700)
    expect(found[1]?.text.startsWith("Refunds\nMoney")).toBe(true)
    expect(found[2]?.text.startsWith("Terms › Refunds\nMoney")).toBe(true)
    expect(found[2]?.location).toMatchObject({ heading: "Terms › Refunds", line: 12 })
  })

  test("a heading stays with the text that follows it", async () => {
    const heading: Block = { kind: "heading", text: "Title", location: { heading: "Title" } }
    const found = await chunks([heading, paragraph("x".repeat(995), { heading: "Title" })])
    expect(found).toHaveLength(1)
  })

  test("rows of a long table repeat its header; rows of the next table don't", async () => {
    const header = (text: string): Block => ({ kind: "table-header", text, location: { row: 1 } })
    const row = (number: number): Block => ({
      kind: "table-row",
      text: `${number} | value`,
      location: { row: number },
    })
    const rows = Array.from({ length: 60 }, (_, index) => row(index + 2))
    const found = await chunks([header("id | name"), ...rows, paragraph("Between."), ...rows], 300)
    const before = found.slice(
      0,
      found.findIndex(({ text }) => text.includes("Between.")),
    )
    expect(before.length).toBeGreaterThan(1)
    for (const { text } of before) expect(text.startsWith("id | name\n")).toBe(true)
    expect(found.at(-1)?.text).not.toContain("id | name")
  })

  test("parts of long code have correct line numbers", async () => {
    const lines = Array.from({ length: 80 }, (_, index) => `const value${index} = compute(${index})`)
    const found = await chunks([{ kind: "code", text: lines.join("\n"), location: { line: 11 } }], 500)
    for (const { text, location } of found) {
      expect(text.split("\n")[0]).toBe(lines[(location.line ?? 0) - 11])
    }
  })
})

// Catches citations that give the first line of a passage for each of its lines.
test("a passage has the document line numbers of its lines", async () => {
  const heading = "Contract"
  const long = Array.from({ length: 30 }, (_, number) => `Clause ${number} is the ${number}th of this list.`)
  const found = await chunks(
    [
      { kind: "heading", text: heading, location: { line: 2, heading } },
      paragraph("Between Ann\nand Bob.", { line: 4, heading }),
      paragraph("The fee is 40 euros.", { line: 9, heading }),
      paragraph(long.join("\n"), { line: 11, heading }),
    ],
    500,
  )
  const getLine = (query: string) =>
    found.map(({ text, location }) => citedLine(text, location.lines ?? [], query)).find(Boolean)?.line
  expect(found[0]?.location).toMatchObject({ line: 2 })
  expect(getLine("contract")).toBe(2)
  expect(getLine("Bob?")).toBe(5)
  expect(getLine("What is the fee?")).toBe(9)
  expect(getLine("list")).toBe(11)
  expect(getLine("29th")).toBe(40)
  expect(getLine("weather")).toBeUndefined()
  expect(citedLine(found[0]?.text ?? "", found[0]?.location.lines ?? [], "fee")).toEqual({ line: 9, heading })
})

// Catches a model's description of an image in a passage of the image's own text.
test("a description of an image is a separate passage", async () => {
  const location = { page: 1, image: 1 }
  const found = await chunks([
    { kind: "image", text: "Own text.", location },
    { kind: "image", text: "A chart.", location: { ...location, described: true } },
    { kind: "paragraph", text: "More.", location: { page: 1 } },
  ])
  expect(found.map(({ text, location: { described } }) => [text, described])).toEqual([
    ["Own text.", undefined],
    ["A chart.", true],
    ["More.", undefined],
  ])
})

// Catches a change to the chunker without a new version: folders would keep passages of both kinds.
test("the output belongs to this version", async () => {
  const kinds = [
    "heading",
    "paragraph",
    "paragraph",
    "table-header",
    "table-row",
    "table-row",
    "code",
  ] as const
  const blocks = Array.from({ length: 140 }, (_, number): Block => {
    const kind = kinds[number % kinds.length] ?? "paragraph"
    const text = sentence(`Block${number}`).repeat(kind === "paragraph" ? (number % 11) + 1 : 1)
    return { kind, text, location: { page: Math.floor(number / 30) + 1, heading: `Part ${number % 3}` } }
  })
  const digest = createHash("sha256")
    .update(JSON.stringify(await chunks(blocks)))
    .digest("hex")
  expect([chunkerVersion, digest.slice(0, 16)]).toEqual([1, "af176d261cbc3129"])
})
