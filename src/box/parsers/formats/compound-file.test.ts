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
    await expect(lines(compoundBytes({ PP40: "x" }))).rejects.toThrow("before PowerPoint 97")
  })
})

describe("Excel", () => {
  test("reads rows of another program, with dates in ISO format", async () => {
    const book = utils.book_new()
    const sheet = utils.aoa_to_sheet([
      ["Item", "Since"],
      ["Eiche – żółć", new Date(Date.UTC(2024, 1, 29))],
      [],
      [null, 0.5],
    ])
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
    expect(notes).toEqual([expect.stringMatching(/"cut.docx" was left out: .*incomplete/)])
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
    await expect(lines(compoundBytes({ Other: "x" }))).rejects.toThrow("isn't a document")
    await expect(lines(whole.subarray(0, 100))).rejects.toThrow(ParseFailure)
  })
})
