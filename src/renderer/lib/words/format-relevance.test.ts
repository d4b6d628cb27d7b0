import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import passages from "../../locales/en/passages.json" with { type: "json" }
import { formatRelevance } from "./format-relevance.ts"

beforeAll(() => i18next.init({ lng: "en", resources: { en: { passages } } }))

// Would catch a citation of an answer that read everything, or of a table, that claims to be 100 % relevant.
test("only what was searched for has a relevance", () => {
  expect(formatRelevance({ score: 1, rank: {} })).toBe("")
  expect(formatRelevance({})).toBe("")
  expect(formatRelevance({ score: 0.5, rank: { keyword: 1 } })).toBe("50% relevant")
})
