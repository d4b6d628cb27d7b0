import { expect, test } from "vitest"
import { timestamp } from "./ids.ts"

// Catches a list of files that fails because one file's time is out of range for a Date, as in a modified backup.
test("limits a time to the range of a Date", () => {
  expect(timestamp(Number.MAX_SAFE_INTEGER)).toBe("+275760-09-13T00:00:00.000Z")
  expect(timestamp(-Number.MAX_SAFE_INTEGER)).toBe("-271821-04-20T00:00:00.000Z")
  expect(timestamp(0)).toBe("1970-01-01T00:00:00.000Z")
})
