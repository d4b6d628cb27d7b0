import { expect, test } from "vitest"
import { findLanguage, type Translated } from "./languages.ts"

test("finds the first language that the interface has, or English if there is none", () => {
  expect(findLanguage(["fr-FR", "it-CH", "en"])).toBe("it")
  expect(findLanguage(["de-AT", "it"])).toBe("de")
  expect(findLanguage(["en-GB", "it"])).toBe("en")
  expect(findLanguage(["th"])).toBe("en")
  expect(findLanguage(["*"])).toBe("en")
  expect(findLanguage(["toString"])).toBe("en") // a property name that every object has isn't a language
})

// Catches types that accept an incomplete language. Each marked line fails to compile; if it compiled, the mark would be an error.
test("compiles strings only with every key and every plural form of the language", () => {
  type English = { open: string; new_files_one: string; new_files_other: string; menu: { close: string } }
  const menu = { close: "Schließen" }
  const german: Translated<English, "de"> = { open: "Öffnen", new_files_one: "", new_files_other: "", menu }
  const italian: Translated<English, "it"> = { ...german, new_files_many: "" }
  expect(Object.keys(italian)).toHaveLength(5)
  // @ts-expect-error -- Italian has a form for millions
  const noMany: Translated<English, "it"> = { ...german }
  // @ts-expect-error -- a nested key is missing
  const noClose: Translated<English, "de"> = { ...german, menu: {} }
  // @ts-expect-error -- a plural form is missing
  const noOther: Translated<English, "de"> = { open: "", new_files_one: "", menu }
  expect([noMany, noClose, noOther]).toHaveLength(3)
})
