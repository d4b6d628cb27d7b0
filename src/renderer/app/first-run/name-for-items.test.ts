import { expect, test } from "vitest"
import { nameForItems } from "./FirstRunScreen.tsx"

// Catches a folder named after one of several directories, or after a file.
test.each([
  [["lease/a.md", "lease/annexes/b.md"], "lease"],
  [["lease/a.md", "other/b.md"], undefined],
  [["lease/a.md", "b.md"], undefined],
  [["a.md"], undefined],
])("names a folder for %j: %s", (paths, name) => {
  expect(nameForItems(paths.map((relativePath) => ({ relativePath })))).toBe(name)
})
