import { expect, test } from "vitest"
import { citedSources } from "../../ui/markdown/citations.ts"

const sources = [3, 1, 2, 44].map((citation) => ({ citation }))
const cited = (text: string) => citedSources(text, sources).map(({ citation }) => citation)

// Catches a passage that was found but not cited and is listed as a source, and a source that is lost or listed twice.
test("returns the sources that a text cites, in numerical order", () => {
  expect(cited("Yes [2], and [1][2]. See [1]: there. [7]")).toEqual([1, 2])
  expect(cited("Nothing.")).toEqual([])
})

// Catches array indexes in code and link texts that are taken for citations.
test("ignores numbers in code and in links", () => {
  expect(cited("`a[1]` and [2](https://example.com)\n\n```js\nb[3]\n```\nso [44]")).toEqual([44])
  expect(cited("Rows [1]\n\n~~~\nb[3]")).toEqual([1])
  expect(cited("``x`` [1] `y`")).toEqual([1])
})

// Catches an untrusted text that blocks the page.
test("reads a long text of nothing but markup characters quickly", () => {
  for (const mark of ["`", "`a", "[1", "```\n", "~~~ "]) expect(cited(mark.repeat(300_000))).toEqual([])
})
