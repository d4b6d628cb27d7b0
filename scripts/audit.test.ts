import { expect, test } from "vitest"
import { readAdvisories } from "./audit.ts"

const report = (vulnerabilities: object) =>
  JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: { total: 0 } } })

// Would catch: an advisory that passes, or one that is listed again for each package that needs the affected one.
test("reads each advisory once, at the package that it is about", () => {
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

// Would catch: a registry that answers nothing, taken for one that knows of no advisory.
test.each([
  "",
  "<html>",
  JSON.stringify({ error: { code: "ENOAUDIT" } }),
  JSON.stringify({ message: "405" }),
])("knows no answer by %j", (said) => expect(readAdvisories(said)).toBeNull())
