import { expect, test } from "vitest"
import type { Location } from "../../../../../shared/contract/location.ts"
import { testSource } from "../../testing/source.ts"
import { citedFiles } from "./SourceList.tsx"

const source = (citation: number, fileId: string, location: Location = {}) =>
  testSource(citation, { fileId, fileName: `${fileId}.pdf`, relativePath: `v/${fileId}.pdf`, location })

// Catches a file listed once per passage, pages that repeat or are in order of discovery, and a page that opens another page's passage.
test("merges passages by file, with its pages in order", () => {
  const files = citedFiles([
    source(1, "a", { page: 6 }),
    source(2, "b"),
    source(3, "a", { page: 2, heading: "Ends" }),
    source(4, "a", { page: 6 }),
    source(5, "c", { slide: 9 }),
    source(6, "b"),
    source(7, "d", { message: 12, page: 1 }),
    source(8, "e", { entry: "a.pdf", page: 3 }),
  ])
  expect(files.map(({ first }) => first.citation)).toEqual([1, 2, 5, 7, 8])
  const pages = files.map((file) =>
    file.pages.map(({ unit, number, source: { citation } }) => [unit, number, citation]),
  )
  expect(pages).toEqual([
    [
      ["page", 2, 3],
      ["page", 6, 1],
    ],
    [],
    [["slide", 9, 5]],
    [["message", 12, 7]],
    [],
  ])
})
