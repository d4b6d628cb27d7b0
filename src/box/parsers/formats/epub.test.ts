import { expect, test } from "vitest"
import { zipBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { epub } from "./epub.ts"

const page = (body: string) => `<html xmlns="http://www.w3.org/1999/xhtml"><body>${body}</body></html>`

/** A book whose chapters have these files, in this order. */
const bookBytes = (chapters: readonly string[], entries: Record<string, string>) =>
  zipBytes({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    "OEBPS/book.opf": `<opf:package xmlns:opf="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <opf:metadata><dc:title>Sea birds</dc:title><dc:creator>Ann Gull</dc:creator><dc:creator>Ben Tern</dc:creator></opf:metadata>
      <opf:manifest>${chapters.map((href, index) => `<opf:item id="c${index}" href="${href}"/>`).join("")}</opf:manifest>
      <opf:spine>${chapters.map((_, index) => `<opf:itemref idref="c${index}"/>`).join("")}</opf:spine></opf:package>`,
    ...entries,
  })

// Catches chapters in the order of the archive, addresses with escaped characters that aren't found, and links without their targets.
test("a book has its title, its authors and its chapters in reading order", async () => {
  const { blocks } = await parseBytes(
    epub,
    bookBytes(["text/second%20one.xhtml", "first.xhtml"], {
      "OEBPS/first.xhtml": page("<h1>Terns</h1><p>They dive.</p>"),
      "OEBPS/text/second one.xhtml": page(
        '<h1>Gulls</h1><p>They follow <a href="https://example.org/ships">ships</a>.</p>',
      ),
    }),
    "book.epub",
  )
  expect(blocks.map(({ text, location }) => [location.heading, text])).toEqual([
    [undefined, "Sea birds\nAnn Gull, Ben Tern"],
    ["Gulls", "Gulls"],
    ["Gulls", "They follow ships (https://example.org/ships)."],
    ["Terns", "Terns"],
    ["Terns", "They dive."],
  ])
})

// Catches a book that is reported as whole although parts of it are missing.
test("a missing chapter is named in the note", async () => {
  const entries = { "OEBPS/first.xhtml": page("<p>They dive.</p>") }
  const { text, notes } = await parseBytes(epub, bookBytes(["first.xhtml", "gone.xhtml"], entries), "a.epub")
  expect(text).toContain("They dive.")
  expect(notes).toEqual(["1 of 2 chapters are missing and were skipped."])
})

// Catches encrypted chapters that are read as garbage, and books that are refused because their fonts are obfuscated.
test("an encrypted book is refused, one with obfuscated fonts is read", async () => {
  const lock = (uri: string) =>
    `<encryption><EncryptedData><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`
  const read = (uri: string) =>
    parseBytes(
      epub,
      bookBytes(["first.xhtml"], {
        "OEBPS/first.xhtml": page("<p>They dive.</p>"),
        "META-INF/encryption.xml": lock(uri),
      }),
      "a.epub",
    )
  expect((await read("OEBPS/fonts/a.otf")).text).toContain("They dive.")
  await expect(read("OEBPS/first.xhtml")).rejects.toMatchObject({ reason: { code: "encrypted" } })
})

test("a file without a book is refused with a reason", async () => {
  const read = (entries: Record<string, string>) => parseBytes(epub, zipBytes(entries), "a.epub")
  await expect(read({ a: "b" })).rejects.toMatchObject({ reason: { code: "not_epub" } })
  const container = `<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>`
  await expect(read({ "META-INF/container.xml": container, "a.opf": "<package/>" })).rejects.toMatchObject({
    reason: { code: "not_epub" },
  })
})
