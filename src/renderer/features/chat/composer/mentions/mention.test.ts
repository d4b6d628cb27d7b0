import { expect, test } from "vitest"
import { completeMention, matchingOptions, mentionAt } from "./mention-sources.tsx"

const at = (text: string) => mentionAt(text, text.length, ["#", "@"])

test("opens a mention at a trigger that starts a word, including names with spaces", () => {
  expect(at("#")).toEqual({ trigger: "#", start: 0, query: "" })
  expect(at("What does #tax 20")).toEqual({ trigger: "#", start: 10, query: "tax 20" })
  expect(at("(#a")).toMatchObject({ query: "a" })
  expect(at("ask @bo")).toMatchObject({ trigger: "@", query: "bo" })
})

// Catches a list that opens in headings, addresses, colours and issue numbers inside words.
test("opens no mention in headings, addresses and other lines", () => {
  for (const text of ["# Heading", "## ", "https://a.example/#top", "a#b", "mail@example", "#a\nb"])
    expect(at(text), text).toBeUndefined()
})

test("lists options that start with the typed text first, ignoring accents and case", () => {
  const options = ["My taxes", "Été", "Taxes 2026"].map((name) => ({ id: name, name, icon: null }))
  expect(matchingOptions(options, "tax").map(({ name }) => name)).toEqual(["Taxes 2026", "My taxes"])
  expect(matchingOptions(options, "ete").map(({ name }) => name)).toEqual(["Été"])
})

test("replaces the typed text with the selected name, even in the middle of a text", () => {
  const text = "See #ta please"
  const mention = mentionAt(text, 7, ["#"])
  expect(mention && completeMention(text, mention, "Taxes 2026")).toEqual({
    text: "See #Taxes 2026 please",
    caret: 16,
  })
})
