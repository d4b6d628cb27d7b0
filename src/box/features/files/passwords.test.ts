import { expect, test } from "vitest"
import { createFilePasswords } from "./read-files.ts"

// Catches files that wait to be read and all lose their passwords because one more file was opened.
test("the most recently entered passwords are kept", () => {
  const passwords = createFilePasswords()
  for (let number = 1; number <= 1_000; number++) passwords.remember(`file ${number}`, "heron")
  passwords.remember("file 1", "reed")
  expect(passwords.of("file 2")).toBe("heron")
  passwords.remember("file 1001", "heron")
  expect(["file 1", "file 2", "file 3", "file 1001"].map(passwords.of)).toEqual([
    "reed",
    undefined,
    "heron",
    "heron",
  ])
})
