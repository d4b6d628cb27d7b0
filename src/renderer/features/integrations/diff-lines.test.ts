import { expect, test } from "vitest"
import { diffLines } from "./diff-lines.ts"

const show = (before: string, after: string) =>
  diffLines(before.split(" "), after.split(" "))
    .map(({ kind, text }) => ({ same: "", added: "+", removed: "-" })[kind] + text)
    .join(" ")

// Would catch: a change that the review doesn't show.
test.each([
  ["a b c", "a b c", "a b c"],
  ["a b c", "a x c", "a -b +x c"],
  ["a b", "b a", "-a b +a"],
  ["a", "a b c", "a +b +c"],
])("%s became %s", (before, after, expected) => expect(show(before, after)).toBe(expected))

test("texts too long to compare are shown whole", () => {
  const long = Array.from({ length: 2000 }, (_, line) => String(line))
  expect(diffLines(long, long)).toHaveLength(4000)
})
