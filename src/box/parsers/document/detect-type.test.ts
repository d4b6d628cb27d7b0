import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { reasonText } from "../../../shared/contract/file-reasons.ts"
import { detectType, detectUpload } from "./detect-type.ts"
import { detectionBytes } from "../parser.ts"
import type { Detection } from "./detect-type.ts"
import { createMemoryFile } from "./document-file.ts"
import { acceptedFormats, formats } from "../registry.ts"
import { zipBytes } from "../testing/office-files.ts"

const outcome = (detection: Detection): string =>
  "format" in detection ? detection.format.name : reasonText(detection.unsupported)

const getUploadError = async (content: string | number[] | Uint8Array, name: string): Promise<string> =>
  outcome(await detectUpload(Buffer.from(content as string), name, "full"))

/** Bytes without a pattern, which are the same in each run: random ones could start like a known format. */
const getNoise = (length: number) => createHash("shake256", { outputLength: length }).update("noise").digest()

const executable = [0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff, 0, 0]
const zip = [
  0x50, 0x4b, 3, 4, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 97, 46, 98,
  105, 110,
]

describe("a name can't pass content off as something else", () => {
  test.for(["report.pdf", "notes.txt", "table.csv", "page.html", "picture.png", "README"])(
    "an executable called %s",
    async (name) =>
      expect(await getUploadError(executable, name)).toBe(`"${name}" is a program, not a document.`),
  )
  test.for(["report.pdf", "notes.txt"])("a zip called %s", async (name) =>
    expect(await getUploadError(zip, name)).toContain("is an archive"),
  )
  test("text called .pdf", async () =>
    expect(await getUploadError("hello", "report.pdf")).toContain("plain text"))
  test("zeros called .txt", async () =>
    expect(await getUploadError(new Uint8Array(5000), "a.txt")).toContain("Casella can't read"))
  test("a PDF called .txt is a PDF", async () =>
    expect(await getUploadError("%PDF-1.7\n%\u00e2\u00e3\n1 0 obj", "a.txt")).toBe("pdf"))
  test("an unsupported extension", async () =>
    expect(await getUploadError("hello", "a.exe")).toContain(".exe"))
  test("an empty PDF", async () => expect(await getUploadError("", "a.pdf")).toContain("empty"))
})

describe("text formats are distinguished by name", () => {
  test.for([
    ["hello", "a.txt", "text"],
    ["hello", "README", "text"],
    ["", "empty.md", "markdown"],
    ["BMW sales rose in spring", "cars.txt", "text"],
    ["G".repeat(400), "stream.ts", "code"],
    ["Привет", "a.markdown", "markdown"],
    ["a,b", "A.CSV", "csv"],
    ['{"a":1}', "a.json", "json"],
    ["<html><body>x", "page", "html"],
    ['<?xml version="1.0"?><a/>', "data", "xml"],
    ['<?xml version="1.0"?><html xmlns="x">', "a.html", "html"],
    ["FROM node", "Dockerfile", "text"],
    ["node_modules", ".gitignore", "text"],
    ["{\\rtf1 hello}", "letter.doc", "rtf"],
    ["<html><body>x", "export.doc", "html"],
    ["hello", "notes.2024", "text"],
    ["-----BEGIN PKCS7-----", "mail.p7m", "p7m"],
  ] as const)("%s in %s is %s", async ([content, name, format]) => {
    expect(await getUploadError(content, name)).toBe(format)
  })

  test("UTF-16 is text with and without a byte order mark", async () => {
    expect(await getUploadError(Buffer.from("\ufeffHello there", "utf16le"), "a.txt")).toBe("text")
    expect(await getUploadError(Buffer.from("Hello there", "utf16le"), "a.txt")).toBe("text")
  })

  test("one stray control character doesn't make a text binary", async () => {
    expect(await getUploadError("a line\u0000 of a log\n".padEnd(300, "x"), "a.log")).toBe("text")
  })
})

describe("NUL bytes", () => {
  // Catches the refusal of exports with padded fields, lists with NUL separators, and logs with a gap.
  test.for([
    ["short.txt", "before\0\0 the gap\0after\n"],
    ["list.txt", "docs/a.md\0docs/b.md\0docs/c.md\0"],
    ["padded.csv", "Anna\0\0\0\0\0\0;Rome\0\0\0\0\nBruno\0\0\0\0\0;Pavia\0\0\0"],
    ["crash.log", `started\n${"\0".repeat(4096)}started again\n`],
    ["old.txt", Buffer.from("Gr\xf6\xdfe\0 der Stra\xdfe\0 10", "latin1")],
  ] as const)("are accepted in %s", async ([name, content]) => {
    expect(await getUploadError(Buffer.from(content), name)).toMatch(/^(text|csv)$/)
  })

  // Catches binary data that is accepted because it also has words.
  test.for([
    ["words and numbers", "name\0\x05\0\0\0Anna\x01\x02\0\0\x7f\x10Rome\0\x03"],
    ["mostly zeros", `${"\0".repeat(400)}a${"\0".repeat(400)}`],
    ["numbers of 32 bits", Buffer.from(Uint32Array.from({ length: 64 }, (_, index) => index * 77).buffer)],
    ["numbers of 16 bits", Buffer.from(Uint16Array.from({ length: 90 }, (_, index) => index * 43).buffer)],
    ["random bytes", getNoise(2000)],
  ] as const)("are refused in %s", async ([, content]) => {
    expect(await getUploadError(Buffer.from(content), "data.txt")).toContain("isn't made of text")
  })
})

describe("folders", () => {
  test("the light pipeline accepts only PDF and images", async () => {
    expect(acceptedFormats("light").map(({ name }) => name)).toEqual(["pdf", "image"])
    const text = await detectUpload(Buffer.from("hello"), "a.txt", "light")
    expect(outcome(text)).toContain("only PDF files and images")
  })

  test("the full pipeline supports every type in the contract and more than 60 source code extensions", () => {
    const listed =
      "pdf doc docx rtf odt ppt pptx xlsx xls ods csv txt md markdown html json xml msg p7m png jpg jpeg gif webp bmp " +
      "tiff py js ts java go rs sql yaml toml"
    const known = formats.flatMap(({ extensions }) => extensions)
    expect(listed.split(" ").filter((extension) => !known.includes(extension))).toEqual([])
    expect(known.length).toBe(new Set(known).size)
    expect(formats.find(({ name }) => name === "code")?.extensions.length).toBeGreaterThan(60)
  })
})

test("detects a stored file's type as for an upload", async () => {
  expect(outcome(await detectType(createMemoryFile(Buffer.from("# Title")), "a.md"))).toBe("markdown")
})

const corpus = fileURLToPath(new URL("../../../../../shared/corpus/documents/", import.meta.url))

// Catches uploads that are refused because the bytes that show their type come after those inspected.
test("detects uploads of real files like stored ones", { tags: "corpus" }, async () => {
  for (const name of (await readdir(corpus)).filter((name) => name !== "fixtures.tsv")) {
    const bytes = await readFile(corpus + name)
    const head = bytes.subarray(0, detectionBytes)
    const upload = outcome(await detectUpload(head, name, "full"))
    expect(upload, name).toBe(outcome(await detectType(createMemoryFile(bytes), name)))
  }
})

// Covers files in which a large part precedes the one that names the type.
test("accepts a document that starts with a large image", async () => {
  const picture = getNoise(2 * detectionBytes)
  for (const [name, parts] of [
    [
      "a.docx",
      { "word/media/image1.png": picture, "[Content_Types].xml": "<Types/>", "word/document.xml": "<x/>" },
    ],
    ["a.odt", { "Pictures/1.png": picture, mimetype: "application/vnd.oasis.opendocument.text" }],
  ] as const) {
    const head = Buffer.from(zipBytes(parts)).subarray(0, detectionBytes)
    expect(outcome(await detectUpload(head, name, "full"))).toBe(name.slice(2))
  }
})
