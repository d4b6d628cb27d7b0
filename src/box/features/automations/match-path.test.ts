import { expect, test } from "vitest"
import { isPattern, matchesEverything, matchesPath } from "./arrivals.ts"

// Catches an automation that runs on files that don't match, or misses files that do.
test.each([
  ["*.pdf", "invoice.pdf", true],
  ["*.pdf", "2026/Invoice.PDF", true],
  ["*.pdf", "invoice.pdf.txt", false],
  ["invoice-??.pdf", "invoice-07.pdf", true],
  ["invoice-??.pdf", "invoice-7.pdf", false],
  ["invoices/*.pdf", "invoices/a.pdf", true],
  ["invoices/*.pdf", "invoices/2026/a.pdf", false],
  ["invoices/*.pdf", "old/invoices/a.pdf", false],
  ["**/invoices/**", "old/invoices/2026/a.pdf", true],
  ["**/invoices/*.{pdf,docx}", "invoices/a.docx", true],
  ["/*.md", "notes.md", true],
  ["/*.md", "sub/notes.md", false],
  ["*.{pdf,docx}", "a.txt", false],
  ["a[b].pdf", "ab.pdf", false],
])("%s and %s: %s", (pattern, path, expected) => {
  expect(matchesPath(pattern, path)).toBe(expected)
})

test("patterns that match everything, or that are invalid, are detected", () => {
  expect(["*", "**", "**/*", "/**", "**/**"].map(matchesEverything)).toEqual([true, true, true, true, true])
  expect(["/*", "*.*", "*/*", "a*"].map(matchesEverything)).toEqual([false, false, false, false])
  expect(["{a,b", "a}", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"].map(isPattern)).toEqual([false, false, false])
})

// Catches a pattern with which someone else's file name can keep the box busy indefinitely. (A matcher that tries every combination doesn't
// finish here.)
test("a pattern of stars takes time in proportion to its length and the name's", () => {
  expect(matchesPath(`${"*a".repeat(90)}b`, "a".repeat(255))).toBe(false)
  expect(matchesPath(`${"**/a/".repeat(30)}b`, "a/".repeat(2_000))).toBe(false)
})
