import { expect, it } from "vitest"
import { plainText } from "./words.ts"

// Catches markup that stays, and words that are removed with it.
it.each([
  ["## Leave\n\nYou have **25 days**, *in all*.", "Leave\n\nYou have 25 days, in all."],
  ["- one\n- [two](https://example.com/a)\n> quoted", "one\ntwo\nquoted"],
  ["| a | b |\n| - | :-: |\n| 1 | 2 |", "a   b \n\n1   2 "],
  ["```ts\nconst x = 1\n```", "\nconst x = 1\n"],
  ["Call `run()` [1] ![a picture](x.png)", "Call run() [1] a picture"],
])("shows %j as it is rendered", (markdown, text) => {
  expect(plainText(markdown)).toBe(text)
})

// Catches ordinary text that is broken because it looks like Markdown.
it.each(["2**3 * 4 and f(*args, **kwargs)", "snake_case __init__", "a - b | c", "C# is #1", "5 > 4", "[1]"])(
  "leaves %j unchanged",
  (text) => {
    expect(plainText(text)).toBe(text)
  },
)

// Catches a regular expression that takes very long for a hostile message.
it.each(["*a ", "[", "`", "| ", "> ", "- ", "![a](", "** "])("processes many %j quickly", (sign) => {
  const text = sign.repeat(20_000 / sign.length)
  expect(plainText(text).length).toBeLessThanOrEqual(text.length)
})
