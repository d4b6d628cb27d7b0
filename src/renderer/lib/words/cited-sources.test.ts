import { expect, test } from "vitest"
import { citedSources } from "./cited-sources.ts"

const sources = [3, 1, 2, 44].map((citation) => ({ citation }))
const cited = (text: string) => citedSources(text, sources).map(({ citation }) => citation)

// Would catch: a passage that was only found and counts as a source, and one that is lost or comes twice.
test("a text's sources are those that it cites, by their numbers", () => {
  expect(cited("Yes [2], and [1][2]. See [1]: there. [7]")).toEqual([1, 2])
  expect(cited("Nothing.")).toEqual([])
})

// Would catch: places of a list in code, and the words of a link, that make sources of what isn't cited.
test("numbers in code and in links cite nothing", () => {
  expect(cited("`a[1]` and [2](https://example.com)\n\n```js\nb[3]\n```\nso [44]")).toEqual([44])
  expect(cited("Rows [1]\n\n~~~\nb[3]")).toEqual([1])
  expect(cited("``x`` [1] `y`")).toEqual([1])
})

// Would catch: a text of a stranger's making that has the page stand still.
test("a long text of nothing but marks is read at once", () => {
  for (const mark of ["`", "`a", "[1", "```\n", "~~~ "]) expect(cited(mark.repeat(300_000))).toEqual([])
})
