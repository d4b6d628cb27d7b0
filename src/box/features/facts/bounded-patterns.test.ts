import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createFactCollector, mostFactsOfFile } from "./collect-facts.ts"

/** Regular expressions of a source, without what stands in their classes of characters. */
function patternsOf(path: string): string[] {
  const source = readFileSync(join(import.meta.dirname, path), "utf8").replaceAll(
    /^\s*(?:\/\/|\/?\*).*$/gm,
    "",
  )
  const literals = source.match(/(?<=[=(|] ?|^\s*)\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/[\\\n])+\/[a-z]*/gm) ?? []
  const raw = source.match(/String\.raw`[^`]*`/g) ?? []
  return [...literals, ...raw].map((one) => one.replaceAll(/\[(?:\\.|[^\]\\])*\]/g, "[]"))
}

// Would catch a pattern that goes back and forth over megabytes of digits, spaces or dots: all that repeats has a bound, but
// for the one that finds where numbers stand, in a single pass.
test.for(["dates/find-dates.ts", "amounts/find-amounts.ts", "amounts/currencies.ts"])(
  "what %s looks for at a number has a bound",
  (path) => {
    const patterns = patternsOf(path)
    expect(patterns.length).toBeGreaterThan(1)
    const unbounded = patterns.filter((one) => /(?<!\\)[*+]|\{\d+,\}/.test(one))
    expect(unbounded.filter((one) => one !== String.raw`/\d+/g`)).toEqual([])
  },
)

// Would catch a document made of dates that fills the memory.
test("no more than so many are collected, each with no more text than so much", () => {
  const text = "by 1.5.2026 $5 ".repeat(250)
  const collector = createFactCollector({ id: "a", name: "a" })
  let number = 0
  for (; number < 1000 && !collector.isFull; number++)
    collector.see({ kind: "paragraph", text, location: {} }, number)
  expect(number).toBeLessThan(25)
  const facts = collector.facts()
  expect(facts).toHaveLength(mostFactsOfFile)
  expect(Math.max(...facts.map(({ sentence }) => sentence.length))).toBeLessThan(520)
})
