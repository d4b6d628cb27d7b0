import { expect, test } from "vitest"
import { pastedFiles } from "./attachment-store.ts"

const pasted = (type: string, rtf: string) => ({
  files: [new File(["x"], "image.png", { type })] as unknown as FileList,
  getData: (format: string) => (format === "text/rtf" ? rtf : ""),
})

// Catches text from a word processor that is pasted as an image, and a screenshot that isn't pasted.
test("ignores an image of copied text", () => {
  expect(pastedFiles(pasted("image/png", ""))).toHaveLength(1)
  expect(pastedFiles(pasted("image/png", "{\\rtf1 Words}"))).toHaveLength(0)
  expect(pastedFiles(pasted("text/csv", "{\\rtf1 Words}"))).toHaveLength(1)
})
