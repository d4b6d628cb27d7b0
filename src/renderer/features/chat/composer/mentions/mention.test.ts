import { expect, test } from "vitest"
import { completeMention, matchingOptions, mentionAt } from "./mention.ts"

const at = (text: string) => mentionAt(text, text.length, ["#", "@"])

test("a trigger that begins a word opens a mention, names with spaces included", () => {
  expect(at("#")).toEqual({ trigger: "#", start: 0, query: "" })
  expect(at("What does #tax 20")).toEqual({ trigger: "#", start: 10, query: "tax 20" })
  expect(at("(#a")).toMatchObject({ query: "a" })
  expect(at("ask @bo")).toMatchObject({ trigger: "@", query: "bo" })
})

// Would catch a list that opens over headings, addresses, colours and issue numbers in words.
test("headings, addresses and other lines open none", () => {
  for (const text of ["# Heading", "## ", "https://a.example/#top", "a#b", "mail@example", "#a\nb"])
    expect(at(text), text).toBeUndefined()
})

test("options that begin with what was typed come first, whatever their accents and case", () => {
  const options = ["My taxes", "Été", "Taxes 2026"].map((name) => ({ id: name, name, icon: null }))
  expect(matchingOptions(options, "tax").map(({ name }) => name)).toEqual(["Taxes 2026", "My taxes"])
  expect(matchingOptions(options, "ete").map(({ name }) => name)).toEqual(["Été"])
})

test("the chosen name takes the place of what was typed, in the middle of a text too", () => {
  const text = "See #ta please"
  const mention = mentionAt(text, 7, ["#"])
  expect(mention && completeMention(text, mention, "Taxes 2026")).toEqual({
    text: "See #Taxes 2026 please",
    caret: 16,
  })
})
