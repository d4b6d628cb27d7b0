import { describe, expect, test } from "vitest"
import { analysePassages, analyseQuery } from "./search-text.ts"
import { findValues, getValueTerms } from "./values.ts"

const readings = (text: string, language?: string) =>
  findValues(text, () => language).map((value) => [value.readings.join(" or "), value.currency ?? value.kind])

// Catches a spelling that is found only by people who type it the same way.
describe("every spelling has the same term in passages and questions", () => {
  const dates = [
    "2024-03-05",
    "05.03.2024",
    "5.3.2024",
    "5/3/2024",
    "05/03/24",
    "5 March 2024",
    "5 Mar 2024",
    "March 5th, 2024",
    "March 5, 2024",
    "the 5th of March 2024",
    "5 marzo 2024",
    "5° marzo 2024",
    "5. März 2024",
    "5 mars 2024",
    "5 de marzo de 2024",
  ]
  const amounts = [
    "1.500,00 EUR",
    "1,500.00 EUR",
    "€ 1500",
    "€1,500",
    "€1.500,-",
    "1500 euro",
    "1500 eur",
    "1 500,00 €",
    "1\u00A0500,00\u00A0€",
    "1\u202F500,00\u202F€",
    "EUR 1’500.00",
    "-1.500,00 €",
  ]
  const francs = ["CHF 12’500.–", "12500 chf", "12.500,00 CHF", "Fr. 12'500.00", "12 500 Franken"]
  const dollars = ["$2,450.75", "USD 2450.75", "2.450,75 US$", "2450.75 dollars"]
  const pounds = ["£1,500", "GBP 1500.00", "1.500 GBP", "1500 pounds sterling"]
  const groups = [
    [dates, "=20240305"],
    [amounts, "=1500eur"],
    [francs, "=12500chf"],
    [dollars, "=2450.75usd"],
    [pounds, "=1500gbp"],
  ] as const
  test.each(groups.flatMap(([spellings, term]) => spellings.map((spelling) => [spelling, term])))(
    "%s",
    async (spelling, term) => {
      const [passage] = await analysePassages([`Paid: ${spelling}.`])
      expect(passage?.words?.split(" ")).toContain(term)
      const other = await analysePassages([`Paid: ${spelling.replaceAll("5", "6")}.`])
      expect(other[0]?.words?.split(" ")).not.toContain(term)
      expect(analyseQuery(spelling).groups.flat()).toContain(term)
    },
  )
})

// Catches a question for a month, or for a day of any year, that misses the files that write their dates in digits.
test.for([
  ["invoices in March 2024", "05.03.2024", "2024-04-05"],
  ["fatture di marzo 2024", "2024-03-31", "31.03.2023"],
  ["what is due on 5 March", "5/3/2024", "6/3/2024"],
  ["was ist am 5. März fällig", "2023-03-05", "2023-05-03"],
] as const)("%s: %s", async ([query, inside, outside]) => {
  const asked = new Set(analyseQuery(query).groups.flat())
  const [first, second] = await analysePassages([`Der Betrag ${inside}`, `Der Betrag ${outside}`])
  const hasDate = (words = "") => words.split(" ").some((term) => term.startsWith("=") && asked.has(term))
  expect([hasDate(first?.words ?? ""), hasDate(second?.words ?? "")]).toEqual([true, false])
})

// Catches a date that only one of the languages' readers would find, and one that a German text can't mean.
test("a date with slashes has both readings unless the language or another date decides", () => {
  const both = [["2024-03-05 or 2024-05-03", "date"]]
  expect(readings("5/3/2024")).toEqual(both)
  expect(readings("Signed on 5/3/2024", "en")).toEqual(both)
  expect(readings("Unterschrieben am 5/3/2024", "de")).toEqual([["2024-03-05", "date"]])
  expect(readings("5/3/2024 and 5/13/2024", "en")).toEqual([
    ["2024-05-03", "date"],
    ["2024-05-13", "date"],
  ])
})

// Catches an amount that is found only with its currency, and numbers of a text that become amounts.
test("a number without a currency has the term that amounts of every currency have too", () => {
  for (const text of ["1.500,00 EUR", "$1,500", "1,500.00", "1.500,00"])
    expect(findValues(text, () => undefined).flatMap(getValueTerms), text).toContain("1500")
  expect(readings("1.500 units")).toEqual([["1500 or 1.5", "number"]])
  expect(readings("cell | -1.234,50 | x")).toEqual([["1234.5", "number"]])
  expect(readings("v1.500.2, 12:30, 99%, INV-1500-0017, 3rd, #1500, A1500")).toEqual([])
})

// Catches a text of only numbers whose analysis grows with the square of its length.
test("a passage of numbers takes no longer than its length allows", () => {
  const text = "5/3/2024 1.500,00 EUR 12'500 ".repeat(20_000)
  const before = process.cpuUsage()
  expect(findValues(text, () => undefined)).toHaveLength(60_000)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(3_000)
})
