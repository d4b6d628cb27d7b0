import { expect, test } from "vitest"
import { createFilePasswords } from "./passwords.ts"

// Would catch: files that wait to be read and lose their passwords, all at once, because one more was opened.
test("the passwords that were given last are known", () => {
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
