import { expect, test } from "vitest"
import { isPattern, matchesEverything, matchesPath } from "./match-path.ts"

// Would catch: an automation that runs on files it isn't for, or misses those it is for.
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

test("patterns that say nothing, or can't be read, are known", () => {
  expect(["*", "**", "**/*", "/**", "**/**"].map(matchesEverything)).toEqual([true, true, true, true, true])
  expect(["/*", "*.*", "*/*", "a*"].map(matchesEverything)).toEqual([false, false, false, false])
  expect(["{a,b", "a}", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"].map(isPattern)).toEqual([false, false, false])
})

// Would catch: a pattern with which a stranger's file name keeps the box busy for ever. (A matcher that tries all ways doesn't end here.)
test("a pattern of stars takes no longer than its length and the name's", () => {
  expect(matchesPath(`${"*a".repeat(90)}b`, "a".repeat(255))).toBe(false)
  expect(matchesPath(`${"**/a/".repeat(30)}b`, "a/".repeat(2_000))).toBe(false)
})
