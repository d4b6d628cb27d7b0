import { expect, test } from "vitest"
import { summariseCoverage, type CoveredFile } from "./coverage.ts"

const file = (fileId: string, read: number, of: number, more: Partial<CoveredFile> = {}): CoveredFile => ({
  fileId,
  name: `${fileId}.pdf`,
  read,
  of,
  unit: "page",
  skipped: null,
  ...more,
})

const files = [
  file("a", 60, 60),
  file("b", 0, 0, { skipped: "It has no text." }),
  file("c", 3, 3, { unit: "sheet" }),
  file("d", 18, 20, { skipped: "It took too long." }),
]

// Catches pages and sheets added together, and an empty file that counts as read because there was nothing to read.
test("sums what was read by unit and counts what wasn't", () => {
  expect(summariseCoverage(files)).toEqual({
    amounts: [
      { unit: "page", read: 78, of: 80 },
      { unit: "sheet", read: 3, of: 3 },
    ],
    files: 4,
    skipped: 1,
    partly: 1,
  })
  expect(summariseCoverage([])).toEqual({ amounts: [], files: 0, skipped: 0, partly: 0 })
})
