import { expect, test } from "vitest"
import { pastedFiles } from "./pasted-files.ts"

const pasted = (type: string, rtf: string) => ({
  files: [new File(["x"], "image.png", { type })] as unknown as FileList,
  getData: (format: string) => (format === "text/rtf" ? rtf : ""),
})

// Catches a paragraph of a word processor that arrives as its picture, and a screenshot that doesn't arrive.
test("a picture of copied text isn't a file", () => {
  expect(pastedFiles(pasted("image/png", ""))).toHaveLength(1)
  expect(pastedFiles(pasted("image/png", "{\\rtf1 Words}"))).toHaveLength(0)
  expect(pastedFiles(pasted("text/csv", "{\\rtf1 Words}"))).toHaveLength(1)
})
