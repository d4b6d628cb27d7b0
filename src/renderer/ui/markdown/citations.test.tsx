import i18next from "i18next"
import { renderToStaticMarkup } from "react-dom/server"
import { beforeAll, expect, test } from "vitest"
import { en } from "../../locales/en/en.ts"
import { CitationContext } from "./citations.ts"
import { Markdown } from "./Markdown.tsx"

beforeAll(() => i18next.init({ lng: "en", resources: { en } }))

/** Renders a text for which passages 1 and 2 exist. */
function html(text: string): string {
  const citations = {
    label: (number: number) => (number === 1 || number === 2 ? `file ${number}` : undefined),
    preview: () => undefined,
    open: () => undefined,
  }
  return renderToStaticMarkup(
    <CitationContext value={citations}>
      <Markdown text={text} />
    </CitationContext>,
  )
}

/** The numbers that became buttons. */
const cited = (text: string): string[] =>
  [...html(text).matchAll(/<button[^>]*aria-label="Source (\d+)/g)].map(([, number]) => number ?? "")

const getText = (markup: string): string => markup.replaceAll(/<[^>]+>/g, "")

test("turns passage numbers in running text into buttons", () => {
  expect(cited("Yes [1], also [2][1].")).toEqual(["1", "2", "1"])
  expect(cited("> quoted [1]\n\n- listed **[2]**")).toEqual(["1", "2"])
  expect(cited("| a |\n| - |\n| x [1] |")).toEqual(["1"])
})

// Catches code and links that are split, and buttons that open nothing.
test("leaves code, links and numbers without a passage unchanged", () => {
  expect(cited("`a[1]` and\n\n```\nb[1]\n```\n\n    c[1]")).toEqual([])
  expect(cited("[1](https://example.com) and [x [1]](https://example.com)")).toEqual([])
  expect(cited("[3] [0] [1a] [1234]")).toEqual([])
})

test("still shows a number without a passage", () => {
  expect(getText(html("See [7]."))).toBe("See [7].")
})

// Catches a line that begins with the full stop of the previous sentence.
test("keeps punctuation after a number on its line and all text in order", () => {
  expect(html("(see [1][2]). And [1] more")).toMatch(
    /<\/button><span class="whitespace-nowrap"><button[^]+>2<\/button>\)\.<\/span> And <button/,
  )
  expect(getText(html("(see [1][2]). And [1] more"))).toBe("(see 12). And 1 more")
  expect(getText(html(`[1]${".".repeat(9)}`))).toBe("1.........")
})
