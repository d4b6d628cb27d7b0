import { expect, test } from "vitest"
import { findAmounts } from "./find-amounts.ts"

const written = (text: string) =>
  findAmounts(text).map(({ start, end, value, currency }) => [text.slice(start, end), value, currency])

// Catches a money format that isn't recognised, and thousands separators taken for decimals.
test.for([
  ["a fee of € 1.234,56.", "€ 1.234,56", 1234.56, "EUR"],
  ["costs $1,234.56 a year", "$1,234.56", 1234.56, "USD"],
  ["1.234,56 € netto", "1.234,56 €", 1234.56, "EUR"],
  ["EUR 500", "EUR 500", 500, "EUR"],
  ["EUR500", "EUR500", 500, "EUR"],
  ["500 euro al mese", "500 euro", 500, "EUR"],
  ["CHF 1'234.50", "CHF 1'234.50", 1234.5, "CHF"],
  ["Fr. 50.–", "Fr. 50.–", 50, "CHF"],
  ["etwa 1,5 Mio. €", "1,5 Mio. €", 1_500_000, "EUR"],
  ["1,1 Mio. €", "1,1 Mio. €", 1_100_000, "EUR"],
  ["$5 million", "$5 million", 5_000_000, "USD"],
  ["2.5 billion dollars", "2.5 billion dollars", 2_500_000_000, "USD"],
  ["3 milioni di euro", "3 milioni di euro", 3_000_000, "EUR"],
  ["3 Milliarden Euro", "3 Milliarden Euro", 3_000_000_000, "EUR"],
  ["12 500,75 €", "12 500,75 €", 12_500.75, "EUR"],
  ["£1.5m", "£1.5m", 1_500_000, "GBP"],
  ["€ 1.500", "€ 1.500", 1500, "EUR"],
  ["€1,500,000", "€1,500,000", 1_500_000, "EUR"],
  ["$1.234", "$1.234", 1.234, "USD"],
  ["a balance of -€ 20,00", "€ 20,00", -20, "EUR"],
  ["US$ 0.10", "US$ 0.10", 0.1, "USD"],
  ["0,05 EUR", "0,05 EUR", 0.05, "EUR"],
  ["$5 of them", "$5", 5, "USD"],
  ["cell | 1.234,56 EUR | x", "1.234,56 EUR", 1234.56, "EUR"],
] as const)("%s", ([text, part, value, currency]) => expect(written(text)).toEqual([[part, value, currency]]))

// Catches two adjacent amounts that take each other's currency.
test("finds several adjacent amounts", () => {
  expect(written("$5 and 6 €, then EUR 7")).toEqual([
    ["$5", 5, "USD"],
    ["6 €", 6, "EUR"],
    ["EUR 7", 7, "EUR"],
  ])
})

test.for([
  "12.500 people",
  "1234567890123456 €",
  "a4€",
  "European 5",
  "in 2024",
  "USDA 5",
  "3 Frankenstein",
  "5.000.12 €",
])("finds none in %s", (text) => expect(written(text)).toEqual([]))
