import { expect, test } from "vitest"
import { readAdvisories } from "./audit.ts"

const report = (vulnerabilities: object) =>
  JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: { total: 0 } } })

// Catches an advisory that is missed, or listed again for each package that depends on the affected one.
test("reads each advisory once, at the package it is about", () => {
  const title = "Denial of service"
  const found = readAdvisories(
    report({
      tar: { severity: "high", via: [{ title }] },
      builder: { severity: "high", via: ["tar"] },
    }),
  )
  expect(found).toEqual([{ name: "tar", severity: "high", title }])
  expect(readAdvisories(report({}))).toEqual([])
})

// Catches a missing answer from the registry that is treated as no advisories.
test.each([
  "",
  "<html>",
  JSON.stringify({ error: { code: "ENOAUDIT" } }),
  JSON.stringify({ message: "405" }),
])("returns null for %j, which is no answer", (said) => expect(readAdvisories(said)).toBeNull())
