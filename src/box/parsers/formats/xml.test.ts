import { describe, expect, test } from "vitest"
import { maxBlockCharacters, ParseFailure } from "../parser.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { xml } from "./xml.ts"

const text = async (content: string | Uint8Array): Promise<string> => (await parseBytes(xml, content)).text

test("data: elements and attributes become lines", async () => {
  const content =
    '<?xml version="1.0"?>\n<c:shop xmlns:c="urn:c">\n<book id="7"><title>Calm &amp; clear</title><price currency="EUR">12</price></book>\n</c:shop>'
  expect(await text(content)).toBe("book (id: 7)\ntitle: Calm & clear\nprice (currency: EUR): 12")
})

test("prose: nested text stays in its sentence", async () => {
  expect(await text("<doc><p><b>Bold</b> words <i>in <u>one</u></i> sentence.</p><p>Next.</p></doc>")).toBe(
    "b: Bold\nwords in one sentence.\nNext.".replace("b: Bold\n", "Bold "),
  )
})

test("keeps the lines of the file", async () => {
  const content = `<list>\n${"<item>about something that takes a while to say</item>\n".repeat(300)}</list>`
  const { blocks } = await parseBytes(xml, content)
  expect(blocks.length).toBeGreaterThan(5)
  let line = 2
  for (const block of blocks) {
    expect(block.location.line).toBe(line)
    line += block.text.split("\n").length
  }
})

test("uses a declared encoding", async () => {
  const bytes = Buffer.from(
    '<?xml version="1.0" encoding="iso-8859-5"?><a>\u00bf\u00e0\u00d8\u00d2\u00d5\u00e2</a>',
    "latin1",
  )
  expect(await text(bytes)).toBe("a: Привет")
})

describe("hostile XML", () => {
  const bomb = `<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;">]><a>&y;</a>`
  test.for([
    ["an entity bomb", bomb],
    ["an external entity", `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`],
    ["a DTD on this computer", `<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>text</a>`],
    ["nesting without end", "<a>".repeat(200_000)],
    ["no XML at all", "<<<< >>>>"],
  ] as const)("%s is refused with a reason", async ([, content]) => {
    await expect(text(content)).rejects.toThrow(ParseFailure)
  })

  test("a public DTD is only treated as a name", async () => {
    expect(await text('<!DOCTYPE html PUBLIC "-//W3C//DTD" "http://www.w3.org/x.dtd"><a>text</a>')).toBe(
      "a: text",
    )
  })

  test("a truncated file is read as far as possible, with a note", async () => {
    const { text, notes } = await parseBytes(xml, "<a><b>one</b><b>two</b><b>thr")
    expect(text).toBe("b: one\nb: two\nb: thr")
    expect(notes[0]).toContain("well-formed")
  })

  test("an element of 3 MB is split into blocks", async () => {
    const { blocks } = await parseBytes(xml, `<a>${"word ".repeat(600_000)}</a>`)
    expect(blocks.every((block) => block.text.length <= maxBlockCharacters)).toBe(true)
    expect(blocks.reduce((sum, block) => sum + (block.text.match(/word/g)?.length ?? 0), 0)).toBe(600_000)
  })
})
