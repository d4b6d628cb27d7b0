import { expect, test } from "vitest"
import { systemLanguage } from "./language.ts"

test("uses the system's first language that the page supports, or English if there is none", () => {
  expect(systemLanguage(["de-DE", "it-CH", "en"])).toBe("it")
  expect(systemLanguage(["en-GB", "it"])).toBe("en")
  expect(systemLanguage(["th"])).toBe("en")
  expect(systemLanguage(["toString"])).toBe("en") // a property name that every object has isn't a language
})
