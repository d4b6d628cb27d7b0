import { expect, test } from "vitest"
import { reason, reasonText } from "./file-reasons.ts"

// Catches sentences with gaps, plurals for one, and numbers that are hard to read.
test("fills a reason's sentence with its values", () => {
  expect(reasonText(reason("pages_by_ocr", { pages: 1, count: 1 }))).toBe(
    "The text of 1 of 1 page was recognised in an image.",
  )
  expect(reasonText(reason("pages_by_ocr", { pages: 1, count: 3 }))).toBe(
    "The text of 1 of 3 pages was recognised in images.",
  )
  const { code, values } = reason("characters_left_out", { count: 64_000_000 })
  expect(reasonText({ code, values })).toBe("Only the first 64,000,000 characters of the text were read.")
  const cause = reason("encrypted")
  const attachment = reason("embedded_left_out", { name: "{{cause}}.docx", cause })
  expect(reasonText({ ...attachment, document: "mail.msg" })).toBe(
    'mail.msg: The attachment "{{cause}}.docx" was skipped: This file is encrypted. Save it without a password.',
  )
})

// Catches an attachment name of a million characters that is stored and sent with every state of the file.
test("cuts long names", () => {
  expect(reasonText(reason("empty", { name: "x".repeat(1_000_000) })).length).toBeLessThan(250)
})
