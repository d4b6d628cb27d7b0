import { expect, test } from "vitest"
import { toNumber, toPatch, untouched } from "./options-form.ts"

// Catches numbers that are misread, in either language, and words that are read as an empty field.
test("parses numbers the way people write them", () => {
  const written = ["", " ", "8192", "8,192", "8.192", "128 000", "0.7", "0,7", "1", "0,125", "-1", "many"]
  expect(written.map(toNumber)).toEqual([null, null, 8192, 8192, 8192, 128_000, 0.7, 0.7, 1, 0.125, -1, NaN])
})

// Catches unchanged options that are sent and would overwrite what a script has set in the meantime.
test("sends only changed options", () => {
  const before = { ...untouched(true), temperature: "0.5", thinking: "off" as const }
  expect(toPatch(before, before)).toEqual({ patch: {}, wrong: [] })
  const form = { ...before, temperature: "", thinking: "auto" as const, unloadAfterMinutes: "", topP: "x" }
  expect(toPatch(before, form)).toEqual({
    patch: { temperature: null, thinking: null, unloadAfterMinutes: null, topP: NaN },
    wrong: ["topP"],
  })
})
