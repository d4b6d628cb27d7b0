import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createFactCollector, maxFactsPerFile } from "./collect-facts.ts"

/** Returns the regular expressions of a source file, without the contents of their character classes. */
function getPatterns(path: string): string[] {
  const source = readFileSync(join(import.meta.dirname, path), "utf8").replaceAll(
    /^\s*(?:\/\/|\/?\*).*$/gm,
    "",
  )
  const literals = source.match(/(?<=[=(|] ?|^\s*)\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/[\\\n])+\/[a-z]*/gm) ?? []
  const raw = source.match(/String\.raw`[^`]*`/g) ?? []
  return [...literals, ...raw].map((one) => one.replaceAll(/\[(?:\\.|[^\]\\])*\]/g, "[]"))
}

// Catches a pattern that backtracks over megabytes of digits, spaces or dots. Every repetition is bounded, except in the single-pass
// pattern that finds the numbers.
test.for(["../../core/dates/find-dates.ts", "../../core/amounts/find-amounts.ts"])(
  "uses only bounded patterns at numbers in %s",
  (path) => {
    const patterns = getPatterns(path)
    expect(patterns.length).toBeGreaterThan(1)
    const unbounded = patterns.filter((one) => /(?<!\\)[*+]|\{\d+,\}/.test(one))
    expect(unbounded.filter((one) => one !== String.raw`/\d+/g`)).toEqual([])
  },
)

// Catches a document full of dates that exhausts memory.
test("limits the number of collected facts and the text of each", () => {
  const text = "by 1.5.2026 $5 ".repeat(250)
  const collector = createFactCollector({ id: "a", name: "a" })
  let number = 0
  for (; number < 1000 && !collector.isFull; number++)
    collector.visit({ kind: "paragraph", text, location: {} }, number)
  expect(number).toBeLessThan(25)
  const facts = collector.facts()
  expect(facts).toHaveLength(maxFactsPerFile)
  expect(Math.max(...facts.map(({ sentence }) => sentence.length))).toBeLessThan(520)
})
