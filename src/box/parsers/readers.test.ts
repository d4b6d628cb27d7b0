import { expect, test } from "vitest"
import { collectReaders, guessReaders, isOutdated, withDescriptions, withoutPictures } from "./readers.ts"

const plain = { marksHidden: false, wantsPictures: false, wantsDescriptions: false, canDescribe: false }

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
  const both = { ...plain, marksHidden: true, wantsPictures: true }
  const readers = guessReaders("a.docx", both)
  expect(readers).toBe("docx.3 hidden.1 pictures.1")
  expect(isOutdated(readers, both)).toBe(false)
  expect(isOutdated(readers, { ...both, marksHidden: false })).toBe(true)
  expect(isOutdated(withoutPictures(readers), { ...both, wantsPictures: false })).toBe(false)
  expect(isOutdated(withoutPictures(readers), both)).toBe(true)
})

// Catches pictures that are never described after a model was chosen, described again at each start, or kept after the folder no longer
// wants that.
test.each([
  ["docx.3 ocr.1 pictures.1", { canDescribe: true }, true],
  ["docx.3 ocr.1 pictures.1", { canDescribe: false }, false],
  ["docx.3 pictures.1", { canDescribe: true }, false],
  ["descriptions.1 docx.3 ocr.1 pictures.1", { canDescribe: true }, false],
  ["descriptions.0 docx.3 ocr.1 pictures.1", { canDescribe: true }, true],
  ["descriptions.0 docx.3 ocr.1 pictures.1", { canDescribe: false }, false],
  ["descriptions.1 docx.3 ocr.1 pictures.1", { wantsDescriptions: false }, true],
  ["descriptions.0 docx.3 ocr.1 pictures.1", { wantsDescriptions: false }, true],
  ["descriptions.1 docx.3 ocr.1 pictures.1", { wantsDescriptions: false, wantsPictures: false }, false],
])("a file read by %j in a folder with descriptions and %j is outdated: %j", (readers, options, expected) => {
  const described = { ...plain, wantsPictures: true, wantsDescriptions: true }
  expect(isOutdated(readers, { ...described, ...options })).toBe(expected)
})

// Catches a description that is recorded twice, or as complete although some are missing.
test("records descriptions once", () => {
  const partial = withDescriptions("docx.3 pictures.1", false)
  expect(partial).toBe("descriptions.0 docx.3 pictures.1")
  expect(withDescriptions(partial, true)).toBe("descriptions.1 docx.3 pictures.1")
  expect(withDescriptions("", true)).toBe("descriptions.1")
})
