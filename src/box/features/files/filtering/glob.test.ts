import { expect, test } from "vitest"
import { isGlob } from "../../../../shared/contract/file-filter.ts"
import { createGlob } from "./glob.ts"

const matching = [
  "a.pdf",
  "Contracts/b.pdf",
  "Contracts/2024/c.PDF",
  "Old/Contracts/d.md",
  "[x]/e1.md",
  "Città/f.md",
]

// Catches a glob that finds files outside of its directory, or misses some inside.
test.for([
  ["**", matching],
  ["**/*.pdf", ["a.pdf", "Contracts/b.pdf", "Contracts/2024/c.PDF"]],
  ["*.pdf", ["a.pdf"]],
  ["contracts/**", ["Contracts/b.pdf", "Contracts/2024/c.PDF"]],
  ["Contracts/", ["Contracts/b.pdf", "Contracts/2024/c.PDF"]],
  ["Contracts", []],
  ["**/Contracts/**", ["Contracts/b.pdf", "Contracts/2024/c.PDF", "Old/Contracts/d.md"]],
  ["Contracts/**/c.*", ["Contracts/2024/c.PDF"]],
  ["{Old,Contracts}/*/*", ["Contracts/2024/c.PDF", "Old/Contracts/d.md"]],
  ["**/?.md", ["Old/Contracts/d.md", "Città/f.md"]],
  ["**/[c-e]*.*", ["Contracts/2024/c.PDF", "Old/Contracts/d.md", "[x]/e1.md"]],
  ["**/[!a-c]*.md", ["Old/Contracts/d.md", "[x]/e1.md", "Città/f.md"]],
  ["citta\u0300/*", ["Città/f.md"]],
  ["a.pd", []],
] as const)("%s", ([glob, expected]) => {
  expect(isGlob(glob)).toBe(true)
  expect(matching.filter(createGlob(glob))).toEqual(expected)
})

// Catches a pattern that keeps the box busy for minutes.
test("many wildcards take no time", () => {
  const before = process.cpuUsage()
  const name = "a".repeat(4000)
  expect(createGlob(`${"*a".repeat(240)}b`)(name)).toBe(false)
  expect(createGlob(`${"**/".repeat(160)}b`)(Array.from({ length: 2000 }, () => "a").join("/"))).toBe(false)
  expect(isGlob("{a,b}".repeat(90))).toBe(false)
  expect(isGlob(`{${"a,".repeat(99)}b}`)).toBe(true)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(2000)
})
