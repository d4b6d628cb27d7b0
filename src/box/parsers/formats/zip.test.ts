import { describe, expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { docxBytes, zipBytes } from "../testing/office-files.ts"
import { zip } from "./zip.ts"

const read = (bytes: Uint8Array) => parseBytes(zip, bytes, "a.zip")
const places = async (bytes: Uint8Array) =>
  (await read(bytes)).blocks.map(({ text, location: { entry } }) => [entry, text])

/** Changes the central directory's record of the nth entry, and its local header if the field is in both. */
function patchEntry(bytes: Buffer, index: number, patch: (central: Buffer) => void): Buffer {
  let at = -1
  for (let count = 0; count <= index; count++) at = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]), at + 1)
  patch(bytes.subarray(at))
  return bytes
}

describe("an archive", () => {
  // Catches members that aren't read as their own type, that lose their path, or are cut off by one that can't be read.
  test("is read member by member", async () => {
    const { blocks, notes } = await read(
      zipBytes({
        "2024/": "",
        "2024/letter.docx": docxBytes("<w:p><w:r><w:t>Dear Bob</w:t></w:r></w:p>"),
        "program.exe": Buffer.from("7f454c4602010100000000000000000002003e00", "hex"),
        "__MACOSX/._notes.md": "x",
        ".DS_Store": "x",
        "notes.md": "# Prices\n\nTea costs 3.",
      }),
    )
    expect(blocks.map(({ kind, text, location }) => [kind, text, location])).toEqual([
      ["heading", "2024/letter.docx", { entry: "2024/letter.docx" }],
      ["paragraph", "Dear Bob", { entry: "2024/letter.docx" }],
      ["heading", "notes.md", { entry: "notes.md" }],
      ["heading", "Prices", { entry: "notes.md", heading: "Prices", line: 1 }],
      ["paragraph", "Tea costs 3.", { entry: "notes.md", heading: "Prices", line: 3 }],
    ])
    expect(notes).toEqual([
      '"program.exe" was skipped: "program.exe" is a kind of file that Casella can\'t read.',
    ])
  })

  // Catches archives inside archives whose members can't be told apart, and a bomb that unpacks itself again and again.
  test("is read three archives deep", async () => {
    let bytes = zipBytes({ "deep.txt": "Too deep." })
    for (const depth of [4, 3, 2])
      bytes = zipBytes({ [`${depth}.zip`]: bytes, [`${depth - 1}.txt`]: `Depth ${depth - 1}` })
    const parsed = await read(bytes)
    expect(parsed.blocks.map(({ text, location: { entry } }) => [entry, text])).toEqual([
      ["2.zip/3.zip/3.txt", "2.zip/3.zip/3.txt"],
      ["2.zip/3.zip/3.txt", "Depth 3"],
      ["2.zip/2.txt", "2.zip/2.txt"],
      ["2.zip/2.txt", "Depth 2"],
      ["1.txt", "1.txt"],
      ["1.txt", "Depth 1"],
    ])
    expect(parsed.notes).toEqual([
      '3.zip: "4.zip" was skipped: Archives inside archives are read up to 3 levels deep.',
    ])
  })

  // Catches paths that lead out of the archive, names cut at a NUL, members with the same name, and letters of old and new programs.
  test("has harmless, distinct paths", async () => {
    const names = [
      "../../etc/a.txt",
      "/b.txt",
      "C:\\c.txt",
      "d.txt\0.md",
      "./e//f.txt",
      "caf\u00e9.txt",
      "x.txt",
      "y.txt",
    ]
    const bytes = zipBytes(Object.fromEntries(names.map((name, index) => [name, `Text ${index}`])))
    bytes.write("x.txt", bytes.lastIndexOf("y.txt"))
    expect((await places(bytes)).filter(([, text]) => text?.startsWith("Text"))).toEqual([
      ["etc/a.txt", "Text 0"],
      ["b.txt", "Text 1"],
      ["c.txt", "Text 2"],
      ["d.txt.md", "Text 3"],
      ["e/f.txt", "Text 4"],
      ["café.txt", "Text 5"],
      ["x.txt", "Text 6"],
      ["x (2).txt", "Text 7"],
    ])
    const old = zipBytes({ "caf_.txt": "Text" })
    for (let at = old.indexOf("caf_"); at >= 0; at = old.indexOf("caf_")) old[at + 3] = 0x82
    expect((await places(old))[0]?.[0]).toBe("café.txt")
  })

  // Catches encrypted members that are left out silently, and the words "completed" for an archive of nothing else.
  test("names encrypted members, and fails if it has no others", async () => {
    const encrypt = (central: Buffer) => central.writeUInt16LE(1, 8)
    const some = patchEntry(zipBytes({ "secret.txt": "Hidden.", "open.txt": "Shown." }), 0, encrypt)
    const parsed = await read(some)
    expect(parsed.text).toBe("open.txt\nShown.")
    expect(parsed.notes).toEqual([
      expect.stringContaining('"secret.txt" was skipped: This file is encrypted.'),
    ])
    const none = patchEntry(zipBytes({ "secret.txt": "Hidden." }), 0, encrypt)
    await expect(read(none)).rejects.toThrow('"secret.txt" was skipped: This file is encrypted.')
    await expect(read(zipBytes({}))).rejects.toThrow("empty")
  })

  // Catches a note of ten thousand sentences, an empty member that is left out silently, and an endless archive.
  test("names the first members that it leaves out and counts the others", async () => {
    const many = zipBytes({
      "a.txt": "Text",
      "b.txt": "",
      ...Object.fromEntries(Array.from({ length: 10_050 }, (_, index) => [`${index}.txt`, ""])),
    })
    for (let at = many.length; (at = many.lastIndexOf("PK\u0001\u0002", at - 1)) > 0;)
      if (!/^[ab]/.test(many.toString("latin1", at + 46, at + 47))) many.writeUInt16LE(1, at + 8)
    const { text, notes } = await read(many)
    expect(text).toBe("a.txt\nText")
    expect(notes).toHaveLength(22)
    expect(notes[0]).toBe('"b.txt" was skipped: No text was found in this file.')
    expect(notes.slice(-2)).toEqual([
      "9,979 more files in this archive were skipped.",
      "Only 10,000 of the 10,052 files in this archive were read.",
    ])
  })
})

describe("a hostile archive", () => {
  // Catches bombs whose members share their bytes, so that few bytes unpack to very many.
  test("whose members overlap has each byte read once", async () => {
    const bytes = zipBytes({ "a.txt": "Text", "b.txt": "Text" })
    patchEntry(bytes, 1, (central) => central.writeUInt32LE(0, 42))
    const { text, notes } = await read(bytes)
    expect(text).toBe("a.txt\nText")
    expect(notes).toEqual([expect.stringContaining('"b.txt" was skipped: It overlaps')])
  })

  // Catches sizes that are believed: a member that is larger than declared, and one that declares more than there is memory.
  test("that lies about sizes loses only these members", async () => {
    const bytes = zipBytes({ "a.txt": "Text ".repeat(100), "b.txt": "b", "c.txt": "Text" })
    patchEntry(bytes, 0, (central) => central.writeUInt32LE(4, 24))
    patchEntry(bytes, 1, (central) => central.writeUInt32LE(0xffff_fff0, 24))
    const { text, notes } = await read(bytes)
    expect(text).toBe("c.txt\nText")
    expect(notes.map((note) => note.slice(0, 7))).toEqual(['"a.txt"', '"b.txt"'])
  })
})

// Catches archives that are taken for documents, and documents for archives.
test("is recognised by its name, unless its content is a document", async () => {
  const detect = async (bytes: Uint8Array, name: string) => {
    const detection = await detectUpload(bytes, name, "full")
    return "format" in detection ? detection.format.name : detection.unsupported.code
  }
  const plain = zipBytes({ "a.txt": "Text" })
  expect(await detect(plain, "a.zip")).toBe("zip")
  expect(await detect(plain, "attachment")).toBe("zip")
  expect(await detect(plain, "a.pdf")).toBe("type_archive")
  expect(await detect(docxBytes(""), "letter.zip")).toBe("docx")
  expect(await detect(plain, "letter.docx")).toBe("docx")
})
