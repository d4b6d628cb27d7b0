import { expect, test } from "vitest"
import { systemLanguage } from "./language.ts"

test("the system's first language that the page speaks is taken, English when there is none", () => {
  expect(systemLanguage(["de-DE", "it-CH", "en"])).toBe("it")
  expect(systemLanguage(["en-GB", "it"])).toBe("en")
  expect(systemLanguage(["th"])).toBe("en")
  expect(systemLanguage(["toString"])).toBe("en") // a name that every object has is no language
})
