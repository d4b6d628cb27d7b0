import { expect, test } from "vitest"
import { getFirstKeyName } from "./default-names.ts"

// Catches a key that has an English name on a computer in another language, and one without a name.
test("the first key has a name in the system's language, or else in English", () => {
  expect(["de-AT", "it-IT", "en-GB", "fr-FR"].map(getFirstKeyName)).toEqual([
    "Erster Start",
    "Primo avvio",
    "First run",
    "First run",
  ])
})
