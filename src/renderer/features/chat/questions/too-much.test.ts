import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { en } from "../../../locales/en/en.ts"
import { describeTooMuch } from "./TooMuch.tsx"

beforeAll(() => i18next.init({ lng: "en", resources: { en }, interpolation: { escapeValue: false } }))

const refused = { error: "Too much to read.", code: "too_much_to_read" as const }

// Catches a refusal that doesn't say how much would be read, or gives the time in seconds.
test("describes too much reading by its size and time", () => {
  const said = describeTooMuch({ ...refused, details: { characters: 3_400_000, estimatedSeconds: 7_000 } })
  expect(said).toContain("3,400,000 characters")
  expect(said).toContain("about 1.9 hours")
})

// Catches "NaN characters" when the box sends fewer details.
test("shows the box's own message if the size is missing", () => {
  expect(describeTooMuch({ ...refused, details: null })).toBe("Too much to read.")
  expect(describeTooMuch({ ...refused, details: { characters: "many" } })).toBe("Too much to read.")
})
