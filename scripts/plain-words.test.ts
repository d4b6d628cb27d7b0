import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n")
const sources = tracked
  .filter(
    (path) =>
      /^(src|bench|e2e|scripts|resources)\/.*\.(tsx?|[cm]js)$/.test(path) &&
      path !== "scripts/plain-words.test.ts",
  )
  .map((path) => ({ path, lines: readFileSync(join(root, path), "utf8").split("\n") }))

/** Returns "path:line: text" for each line of a source that `isOdd` accepts, without its indentation. */
const findLines = (isOdd: (line: string) => boolean): string[] =>
  sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (isOdd(line.trim()) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  )

const comment = /^(?:\/\/|\/\*\*?|\*) (.*)/
const findComments = (isOdd: (text: string) => boolean): string[] =>
  findLines((line) => {
    const text = comment.exec(line)?.[1]
    return text !== undefined && !text.startsWith("oxlint-") && isOdd(text)
  })

// Catches a limit whose name isn't `max…` or `min…`.
test("limits are named max and min", () => {
  expect(findLines((line) => /\b(most|fewest|longest|shortest)[A-Z]\w*/.test(line))).toEqual([])
})

// Catches comments in words that a reader has to translate.
test("comments use plain words", () => {
  const odd = /\b(anew|beside|heed(s|ed)?|mend(s|ed|ing)?|whoever|somebody|nobody|by now|of before)\b/i
  expect(findComments((text) => odd.test(text))).toEqual([])
})

// Catches a comment that is a fragment instead of a statement, such as "What a model may cost".
test("comments don't begin with a noun clause", () => {
  const starts = /^(?:\/\/|\/\*\*) (What|Who|Whose|Whoever) (?!.*\?)/
  expect(findLines((line) => starts.test(line))).toEqual([])
})

// Catches a reference to a document that isn't in the repository.
test("comments name documents that exist", () => {
  const names = new Set(tracked.map((path) => basename(path)))
  const missing = (text: string) =>
    (text.match(/\b[\w-]+\.md\b/g) ?? []).filter((name) => !names.has(name) && name === name.toLowerCase())
  expect(findComments((text) => /\.md [\d.]*\d/.test(text) && missing(text).length > 0)).toEqual([])
})
