import { describe, expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { docxBytes, zipBytes } from "../testing/office-files.ts"
import { zip } from "./zip.ts"

const read = (bytes: Uint8Array) => parseBytes(zip, bytes, "a.zip")
const listLocations = async (bytes: Uint8Array) =>
  (await read(bytes)).blocks.map(({ text, location: { entry } }) => [entry, text])

/** Changes the central directory's record of the nth entry, and its local header if the field is in both. */
function patchEntry(bytes: Buffer, index: number, patch: (central: Buffer) => void): Buffer {
  let at = -1
  for (let count = 0; count <= index; count++) at = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]), at + 1)
  patch(bytes.subarray(at))
  return bytes
}

const encrypt = (central: Buffer) => central.writeUInt16LE(1, 8)

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
    expect(notes).toEqual(['"program.exe" was skipped: Casella can\'t read files such as "program.exe".'])
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
      '"2.zip/3.zip/4.zip" was skipped: Archives inside archives are read up to 3 levels deep.',
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
    expect((await listLocations(bytes)).filter(([, text]) => text?.startsWith("Text"))).toEqual([
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
    expect((await listLocations(old))[0]?.[0]).toBe("café.txt")
  })

  // Catches encrypted members that are left out silently, and the words "completed" for an archive of nothing else.
  test("names encrypted members, and fails if it has no others", async () => {
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

  // Catches the reason of a file deep inside archives that is lost on the way out.
  test("names the innermost file that can't be read and why", async () => {
    const none = patchEntry(zipBytes({ "secret.txt": "Hidden." }), 0, encrypt)
    const inside = zipBytes({ "b.zip": zipBytes({ "c.zip": none }) })
    const sentence = '"b.zip/c.zip/secret.txt" was skipped: This file is encrypted.'
    await expect(read(inside)).rejects.toThrow(sentence)
    const { notes } = await read(zipBytes({ "a.txt": "Text", "b.zip": zipBytes({ "c.zip": none }) }))
    expect(notes).toEqual([expect.stringContaining(sentence)])
  })

  // Catches a reason that is repeated for each file and at each level of archives, and counts that belong to only one file.
  test("notes each reason once, with the paths of its files", async () => {
    const locked = (name: string) =>
      patchEntry(zipBytes({ [name]: "Hidden.", "b.txt": "Shown." }), 0, encrypt)
    const hidden = docxBytes(
      "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Secret</w:t></w:r></w:p><w:p><w:r><w:t>Shown</w:t></w:r></w:p>",
    )
    const bytes = zipBytes({
      "2024/inner.zip": locked("one.pdf"),
      "mail.eml": `Subject: Files\nContent-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Disposition: attachment; filename="files.zip"\nContent-Transfer-Encoding: base64\n\n${locked("two.pdf").toString("base64")}\n--x--\n`,
      "three.zip": patchEntry(zipBytes({ "three.pdf": "Hidden." }), 0, encrypt),
      "x.dat": "\0\u0001\u0002".repeat(90),
      "a.docx": hidden,
      "b.docx": hidden,
    })
    expect((await read(bytes)).notes).toEqual([
      "3 files were skipped (2024/inner.zip/one.pdf, mail.eml/files.zip/two.pdf, three.zip/three.pdf): This file is encrypted. Save it without a password.",
      expect.stringContaining('"x.dat" was skipped'),
      "The hidden text of 2 paragraphs was skipped.",
    ])
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
    expect(notes).toEqual([
      "Only 10,000 of the 10,052 files in this archive were read.",
      '"b.txt" was skipped: No text was found in this file.',
      "9,998 files were skipped (0.txt, 1.txt, 2.txt, 3.txt, 4.txt, 5.txt, 6.txt, 7.txt, 8.txt, 9.txt, …): This file is encrypted. Save it without a password.",
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
