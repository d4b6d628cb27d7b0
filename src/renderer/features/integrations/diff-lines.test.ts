import { expect, test } from "vitest"
import { diffLines } from "./ChangeReview.tsx"

const show = (before: string, after: string) =>
  diffLines(before.split(" "), after.split(" "))
    .map(({ kind, text }) => ({ same: "", added: "+", removed: "-" })[kind] + text)
    .join(" ")

// Catches a change that the review doesn't show.
test.each([
  ["a b c", "a b c", "a b c"],
  ["a b c", "a x c", "a -b +x c"],
  ["a b", "b a", "-a b +a"],
  ["a", "a b c", "a +b +c"],
])("compares %s with %s", (before, after, expected) => expect(show(before, after)).toBe(expected))

test("shows texts in full that are too long to compare", () => {
  const long = Array.from({ length: 2000 }, (_, line) => String(line))
  expect(diffLines(long, long)).toHaveLength(4000)
})
