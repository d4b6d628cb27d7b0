import { utils, write } from "@e965/xlsx"
import { describe, expect, test } from "vitest"
import { compoundFile } from "./compound-file.ts"
import { ParseFailure } from "../parser.ts"
import { compoundBytes, pptBytes, wordBytes } from "../testing/compound-files.ts"
import { docxBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

async function lines(bytes: Uint8Array): Promise<string[]> {
  const { blocks } = await parseBytes(compoundFile, bytes, "a.doc")
  return blocks.map(({ kind, text, location: { slide, sheet, row, heading } }) =>
    [slide, sheet, row, kind, heading && `[${heading}]`, text].filter((part) => part !== undefined).join(" "),
  )
}

describe("Word", () => {
  // Catches field codes read as text, pieces in the wrong order or width, and headings that aren't recognised.
  test("reads pieces of both widths, fields, headings and sub-documents", async () => {
    const bytes = wordBytes({
      pieces: ["Guide\rThe \x13PAGE\x14result\x15 café\r", "Zażółć\u001egęś\rA note\r"],
      headings: { 0: 1 },
      lengths: [40, 7],
    })
    expect(await lines(bytes)).toEqual([
      "heading [Guide] Guide",
      "paragraph [Guide] The result café",
      "paragraph [Guide] Zażółć-gęś",
      "paragraph [Footnotes] A note",
    ])
  })

  const two = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer)
  const modified = (...pairs: [code: number, value: number][]) =>
    Buffer.concat(
      pairs.map(([code, value]) =>
        Buffer.concat([two(code), code >>> 13 === 2 ? two(value) : Buffer.of(value)]),
      ),
    )

  // Catches links taken for check boxes, equations that are lost because Word computes what their fields show, and powers that become part
  // of a number.
  test("reads fields of forms, links and equations, and raised digits", async () => {
    const text =
      '\x13 FORMCHECKBOX \x01\x14\x15yes \x13 HYPERLINK "https://example.org/a" \x01\x14terms\x15 \x13EQ \\f(1,2)\x15 10' +
      "3 m2\r"
    const formData = Buffer.alloc(4)
    const formAt = (at: number) => Buffer.concat([two(0x6a03), Buffer.from(Uint32Array.of(at).buffer)])
    const form = Buffer.alloc(100)
    form.writeUInt16LE(1 | (1 << 2), 68 + 4)
    const [box, link] = [text.indexOf("\x01"), text.lastIndexOf("\x01")]
    const power = text.lastIndexOf("10") + 2
    const raised = modified([0x2a48, 1])
    const none = Buffer.alloc(0)
    const bytes = wordBytes({
      pieces: [text, "\r"],
      headings: {},
      lengths: [text.length + 1, 0],
      data: Buffer.concat([formData, form]),
      characters: [
        [box, none],
        [box + 1, formAt(4)],
        [link, none],
        [link + 1, formAt(4)],
        [power, none],
        [power + 1, raised],
        [power + 3, none],
        [power + 4, raised],
        [text.length, none],
      ],
    })
    expect(await lines(bytes)).toEqual(["paragraph [x] yes terms (https://example.org/a) 1/2 10^3 m2"])
  })

  // Catches equations that are missing without a note.
  test("names equations in objects of another program", async () => {
    const text = "A \x13 EMBED Equation.3 \x14\x01\x15 b\r"
    const bytes = wordBytes({ pieces: [text, "\r"], headings: {}, lengths: [text.length + 1, 0] })
    const { notes, blocks } = await parseBytes(compoundFile, bytes, "a.doc")
    expect(blocks.map((block) => block.text)).toEqual(["A b"])
    expect(notes).toEqual(["1 equation was skipped, because it is an object of another program."])
  })

  /** A list level without character or paragraph properties. */
  function level(format: number, text: string): Buffer {
    const head = Buffer.alloc(28)
    head.writeInt32LE(1, 0)
    head.writeUInt8(format, 4)
    return Buffer.concat([head, two(text.length), Buffer.from(text, "utf16le")])
  }

  /** A style of paragraphs: its built-in number, the style on which it is based, and its properties. */
  function style(builtIn: number, base: number, paragraph: Buffer, character = Buffer.alloc(0)): Buffer {
    const both = [Buffer.concat([two(0), paragraph]), character].map((part) =>
      Buffer.concat([two(part.length), part, Buffer.alloc(part.length % 2)]),
    )
    const body = Buffer.concat([two(builtIn, (base << 4) | 1, 2, 0, 0, 1, 0x41, 0), ...both])
    return Buffer.concat([two(body.length), body])
  }

  // Catches clauses that can't be found by their numbers, custom headings read as text, and hidden text that is read.
  test("numbers headings, clauses and lists, by their own list or that of their style", async () => {
    const list = Buffer.alloc(28)
    list.writeInt32LE(77, 0)
    for (let at = 0; at < 9; at++) list.writeUInt16LE(at === 0 ? 1 : 0xfff, 8 + at * 2)
    const levels = [level(0, "\u0000."), level(0, "\u0000.\u0001"), level(4, "(\u0002)"), level(23, "x")]
    const rest = Array.from({ length: 5 }, () => level(0, ""))
    const use = Buffer.alloc(4 + 16 + 4)
    use.writeUInt32LE(1, 0)
    use.writeInt32LE(77, 4)
    const styles = [
      style(0, 0xfff, Buffer.alloc(0)),
      style(1, 0, modified([0x460b, 1])),
      style(0xffe, 1, Buffer.alloc(0)),
      style(0xffe, 0, Buffer.alloc(0), modified([0x083c, 1])),
    ]
    const paragraphs = ["Scope", "Text of it", "Letter", "Next", "Bullet", "Custom", "Hidden style", "End"]
    const text = paragraphs.map((paragraph) => `${paragraph}\r`).join("")
    const bytes = wordBytes({
      pieces: [text, "\r"],
      headings: { 0: 1, 5: 2, 6: 3 },
      lengths: [text.length + 1, 0],
      modifiers: {
        1: modified([0x460b, 1], [0x260a, 1]),
        2: modified([0x460b, 1], [0x260a, 2]),
        3: modified([0x460b, 1], [0x260a, 1]),
        4: modified([0x460b, 1], [0x260a, 3]),
      },
      parts: {
        0xa2: Buffer.concat([two(4, styles.length, 10), ...styles]),
        0x2e2: Buffer.concat([two(1), list, ...levels, ...rest]),
        0x2ea: use,
      },
    })
    expect(await lines(bytes)).toEqual([
      "heading [1. Scope] 1. Scope",
      "paragraph [1. Scope] 1.1 Text of it",
      "paragraph [1. Scope] (a) Letter",
      "paragraph [1. Scope] 1.2 Next",
      "paragraph [1. Scope] - Bullet",
      "heading [2. Custom] 2. Custom",
      "paragraph [2. Custom] End",
    ])
    const marked = await parseBytes(compoundFile, bytes, "a.doc", undefined, undefined, true)
    expect(marked.text).toContain("2. Custom\n(hidden) Hidden style\nEnd")
    expect(marked.notes).toEqual(["1 hidden part was read and is marked “(hidden)”."])
  })

  // Catches cells that cover others and are missing in the rows and columns that they cover.
  test("repeats merged cells of tables", async () => {
    const row = (edges: number[], ...firstCell: number[]) => {
      const flags = firstCell.map((flag) => Buffer.concat([two(flag), Buffer.alloc(18)]))
      const body = Buffer.concat([Buffer.of(edges.length), two(0, ...edges), ...flags])
      return Buffer.concat([modified([0x2416, 1], [0x2417, 1]), two(0xd608, body.length + 1), body])
    }
    const text =
      "A\u0007B\u0007C\u0007\u0007Tall\u0007b\u0007c\u0007\u0007\u0007d\u0007e\u0007\u0007Wide\u0007f\u0007\u0007"
    const inTable = modified([0x2416, 1])
    const thirds = [100, 200, 300]
    const rowEnds: Record<number, Buffer> = {
      3: row(thirds),
      7: row(thirds, 3 << 5),
      11: row(thirds, 1 << 5),
      14: row([200, 300]),
    }
    const modifiers = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [at, rowEnds[at] ?? inTable]))
    const bytes = wordBytes({ pieces: [text, "\r"], headings: {}, lengths: [text.length + 1, 0], modifiers })
    expect(await lines(bytes)).toEqual([
      "table-header A | B | C",
      "table-row Tall | b | c",
      "table-row Tall | d | e",
      "table-row Wide | Wide | f",
    ])
  })

  test("reads Word 95 in the code page of its language, with a table", async () => {
    const text = Buffer.from("\xcf\xf0\xe8\xe2\xe5\xf2\rA\x07B\x07\x07C\x07D\x07\x07End\r", "latin1")
    const main = Buffer.alloc(0x300)
    main.writeUInt16LE(0xa5dc, 0)
    main.writeUInt16LE(0x0419, 6)
    main.writeUInt32LE(0x300, 0x18)
    main.writeUInt32LE(0x300 + text.length, 0x1c)
    main.writeUInt32LE(text.length, 0x34)
    expect(await lines(compoundBytes({ WordDocument: Buffer.concat([main, text]) }))).toEqual([
      "paragraph Привет",
      "table-header A | B",
      "table-row C | D",
      "paragraph End",
    ])
  })
})

describe("PowerPoint", () => {
  test("reads the slides as last saved, with titles, outline text and notes", async () => {
    expect(await lines(pptBytes())).toEqual([
      "1 heading [Welcome] Welcome",
      "1 paragraph [Welcome] First",
      "1 paragraph [Welcome] Second",
      "1 paragraph [Notes] Say hello",
      "2 paragraph In a shape, zażółć",
      "paragraph [Headers and footers] ACME",
    ])
  })

  test("refuses an unsupported version", async () => {
    await expect(lines(compoundBytes({ PP40: "x" }))).rejects.toThrow("older than PowerPoint 97")
  })
})

describe("Excel", () => {
  test("reads rows of another program, with dates in ISO format", async () => {
    const book = utils.book_new()
    const sheet = utils.aoa_to_sheet(
      [["Item", "Since"], ["Eiche – żółć", new Date(Date.UTC(2024, 1, 29))], [], [null, 0.5]],
      { UTC: true },
    )
    utils.book_append_sheet(book, sheet, "Stock")
    for (const bookType of ["biff8", "biff5"] as const) {
      const [first, second, third] = await lines(write(book, { type: "buffer", bookType }) as Buffer)
      expect(first).toBe("Stock 1 table-header Item | Since")
      expect(second).toMatch(/^Stock 2 table-row Eiche .* \| 2024-02-29$/)
      expect(third).toBe("Stock 4 table-row | 0.5")
    }
  })

  test("reports damage", async () => {
    await expect(lines(compoundBytes({ Workbook: Buffer.alloc(5000, 9) }))).rejects.toThrow(ParseFailure)
  })
})

describe("Outlook", () => {
  const unicode = (text: string): Buffer => Buffer.from(text, "utf16le")
  const number = (id: number, value: number): Buffer => {
    const entry = Buffer.alloc(16)
    entry.writeUInt16LE(0x0003, 0)
    entry.writeUInt16LE(id, 2)
    entry.writeUInt32LE(value, 8)
    return entry
  }
  const properties = (header: number, ...entries: Buffer[]): Buffer =>
    Buffer.concat([Buffer.alloc(header), ...entries])
  const attachment = (index: number, name: string, bytes: Buffer): Record<string, Buffer> => ({
    [`__attach_version1.0_#0000000${index}/__properties_version1.0`]: properties(8),
    [`__attach_version1.0_#0000000${index}/__substg1.0_3707001F`]: unicode(name),
    [`__attach_version1.0_#0000000${index}/__substg1.0_37010102`]: bytes,
  })

  // Catches 8-bit text in the wrong code page, and attachments that are lost or that stop the whole message.
  test("reads people, text in its code page, attachments of any type, one that can't be read, and an attached message", async () => {
    const inner = "__attach_version1.0_#00000003/__substg1.0_3701000D/"
    const bytes = compoundBytes({
      "__properties_version1.0": properties(32, number(0x3ffd, 1251)),
      "__substg1.0_0037001F": unicode("Invoice"),
      "__substg1.0_0C1A001F": unicode("Ada"),
      "__substg1.0_5D01001F": unicode("ada@example.com"),
      "__substg1.0_0E04001F": unicode("Bob"),
      "__substg1.0_1000001E": Buffer.from("\xcf\xf0\xe8\xe2\xe5\xf2", "latin1"),
      ...attachment(0, "letter.docx", docxBytes("<w:p><w:r><w:t>Dear Bob</w:t></w:r></w:p>")),
      ...attachment(1, "cut.docx", docxBytes("").subarray(0, 300)),
      ...attachment(2, "notes.md", Buffer.from("# Title\n\nText")),
      "__attach_version1.0_#00000003/__properties_version1.0": properties(8),
      [`${inner}__properties_version1.0`]: properties(24),
      [`${inner}__substg1.0_0037001F`]: unicode("Inner"),
      [`${inner}__substg1.0_10130102`]: Buffer.from("<p>Hello <b>there</b></p>"),
    })
    const { blocks, notes } = await parseBytes(compoundFile, bytes, "a.msg")
    expect(blocks.map(({ text, location }) => `[${location.heading}] ${text}`)).toEqual([
      "[Invoice] Invoice",
      "[Invoice] From: Ada <ada@example.com>\nTo: Bob",
      "[Invoice] Привет",
      "[letter.docx] Dear Bob",
      "[notes.md › Title] Title",
      "[notes.md › Title] Text",
      "[Inner] Inner",
      "[Inner] Hello there",
    ])
    expect(notes).toEqual([expect.stringMatching(/"cut.docx" was skipped: .*incomplete/)])
  })

  test("reads nested messages five levels deep", async () => {
    let bytes: Buffer = Buffer.from("deep")
    let name = "deep.txt"
    for (let level = 0; level < 8; level++) {
      bytes = compoundBytes({ "__properties_version1.0": properties(32), ...attachment(0, name, bytes) })
      name = "next.msg"
    }
    const { text, notes } = await parseBytes(compoundFile, bytes, "a.msg")
    expect(text).not.toContain("deep")
    expect(notes.join()).toContain("more than 5 documents deep")
  })
})

describe("damage to the container", () => {
  const whole = compoundBytes({ WordDocument: Buffer.alloc(20_000, 1), "1Table": Buffer.alloc(100, 2) })

  test("a circular allocation table fails with a reason", async () => {
    for (let sector = 0; sector < whole.length / 512 - 1; sector++) {
      const mutant = Buffer.from(whole)
      // Every sector points to itself.
      for (let at = 0; at < 128; at++) mutant.writeUInt32LE(at, (sector + 1) * 512 + at * 4)
      await expect(lines(mutant)).rejects.toThrow(ParseFailure)
    }
  })

  test("a file that isn't a document of these programs", async () => {
    await expect(lines(compoundBytes({ Other: "x" }))).rejects.toThrow("isn't a Word, Excel")
    await expect(lines(whole.subarray(0, 100))).rejects.toThrow(ParseFailure)
  })
})
