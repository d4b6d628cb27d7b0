import { expect, test } from "vitest"
import { commonReason } from "./CoverageFold.tsx"

const file = (read: number, skipped: string | null) =>
  ({ fileId: `${read} ${skipped}`, name: "a.pdf", read, of: 2, unit: "page", skipped }) as const

// Catches one file's reason that is shown for others too.
test("shows a reason for all files only if it is the only one", () => {
  expect(commonReason([file(2, null), file(0, "No text."), file(1, "No text.")])).toBe("No text.")
  expect(commonReason([file(0, "No text."), file(0, "Damaged.")])).toBeNull()
  expect(commonReason([file(0, "No text."), file(1, null)])).toBeNull()
  expect(commonReason([file(2, null)])).toBeNull()
})
