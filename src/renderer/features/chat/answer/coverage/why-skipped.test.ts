import { expect, test } from "vitest"
import { commonReason } from "./why-skipped.ts"

const file = (read: number, skipped: string | null) =>
  ({ fileId: `${read} ${skipped}`, name: "a.pdf", read, of: 2, unit: "page", skipped }) as const

// Would catch one file's reason that is told of others too.
test("a reason is told at once where it is the only one", () => {
  expect(commonReason([file(2, null), file(0, "No text."), file(1, "No text.")])).toBe("No text.")
  expect(commonReason([file(0, "No text."), file(0, "Damaged.")])).toBeNull()
  expect(commonReason([file(0, "No text."), file(1, null)])).toBeNull()
  expect(commonReason([file(2, null)])).toBeNull()
})
