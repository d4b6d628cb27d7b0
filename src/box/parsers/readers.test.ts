import { expect, test } from "vitest"
import { collectReaders, guessReaders, isOutdated, withoutPictures } from "./readers.ts"

const plain = { marksHidden: false, wantsPictures: false }

// Catches files inside others that aren't recorded, so that an improvement of their reader would miss them.
test("describes each reader once with its version", () => {
  const readers = collectReaders()
  for (const format of ["zip", "pdf", "eml", "pdf"]) readers.add(format)
  expect(readers.describe({ hasScans: true, ...plain })).toBe("eml.2 ocr.1 pdf.3 zip.1")
})

// Catches hidden parts that stay as they are after a folder's setting was changed, or were changed while a file was being read.
test("records that hidden parts were marked, of formats that have some", () => {
  const used = { hasScans: false, marksHidden: true, wantsPictures: false }
  const readers = collectReaders()
  readers.add("zip")
  expect(readers.describe(used)).toBe("zip.1")
  readers.add("docx")
  expect(readers.describe(used)).toBe("docx.3 hidden.1 zip.1")
})

// Catches files that are read again at every start, or by an older program, and files that keep the text of an older reader.
test.each([
  ["eml.2 pdf.0", false, true],
  ["eml.2 pdf.3", false, false],
  ["pdf.99", false, false],
  ["unknown.1", false, false],
  ["", false, false],
  [null, false, true],
  ["eml.2 pdf.3", true, false],
  ["docx.3 zip.1", true, true],
  ["docx.3 hidden.1 zip.1", true, false],
  ["docx.3 hidden.1 zip.1", false, true],
])(
  "a file read by %j in a folder that marks hidden parts (%j) is outdated: %j",
  (readers, marksHidden, expected) => {
    expect(isOutdated(readers, { ...plain, marksHidden })).toBe(expected)
  },
)

// Catches documents without the text of their pictures after an owner asked for it, and text files that are read again for nothing.
test("a document that was read without its pictures is outdated when they are wanted", () => {
  const withPictures = { ...plain, wantsPictures: true }
  const readers = collectReaders()
  readers.add("docx")
  const described = readers.describe({ hasScans: false, ...withPictures })
  expect(isOutdated(described, withPictures)).toBe(false)
  expect(isOutdated(described, plain)).toBe(false)
  expect(isOutdated(withoutPictures(described), withPictures)).toBe(true)
  expect(isOutdated("csv.2 text.2", withPictures)).toBe(false)
})

// Catches one setting of a folder that hides a change of the other.
test("hidden parts and pictures are wanted independently", () => {
  const both = { marksHidden: true, wantsPictures: true }
  const readers = guessReaders("a.docx", both)
  expect(readers).toBe("docx.3 hidden.1 pictures.1")
  expect(isOutdated(readers, both)).toBe(false)
  expect(isOutdated(readers, { marksHidden: false, wantsPictures: true })).toBe(true)
  expect(isOutdated(withoutPictures(readers), { marksHidden: true, wantsPictures: false })).toBe(false)
  expect(isOutdated(withoutPictures(readers), both)).toBe(true)
})
