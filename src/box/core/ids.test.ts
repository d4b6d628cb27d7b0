import { expect, test } from "vitest"
import { timestamp } from "./ids.ts"

// Would catch: a list of files that fails because of one whose time no Date can hold, as in an altered backup.
test("a time beyond what a Date can hold becomes the nearest that it can", () => {
  expect(timestamp(Number.MAX_SAFE_INTEGER)).toBe("+275760-09-13T00:00:00.000Z")
  expect(timestamp(-Number.MAX_SAFE_INTEGER)).toBe("-271821-04-20T00:00:00.000Z")
  expect(timestamp(0)).toBe("1970-01-01T00:00:00.000Z")
})
