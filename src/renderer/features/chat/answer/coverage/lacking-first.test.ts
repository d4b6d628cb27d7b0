import { expect, test } from "vitest"
import { lackingFirst } from "./CoverageFold.tsx"

const file = (fileId: string, read: number, of: number, skipped: string | null = null) =>
  ({ fileId, name: `${fileId}.pdf`, read, of, unit: "page", skipped }) as const

// Catches the one skipped file among five hundred at the end of the list, where no one looks.
test("lists incompletely read files first", () => {
  const files = [file("a", 60, 60), file("b", 0, 0, "No text."), file("c", 3, 3), file("d", 18, 20, "Late.")]
  expect(lackingFirst(files).map(({ fileId }) => fileId)).toEqual(["b", "d", "a", "c"])
})
