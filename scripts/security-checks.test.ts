import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { removeSecurityCheck, securityChecks } from "./security-checks.ts"

const root = join(import.meta.dirname, "..")

describe("the list of security checks", () => {
  // Catches a check that was rewritten and would silently not be removed any more.
  test.each(securityChecks)("can remove: $name", (check) => {
    const source = readFileSync(join(root, check.file), "utf8")
    expect(source.split(check.find)).toHaveLength(2)
    expect(removeSecurityCheck(check, source)).not.toBe(source)
    for (const file of check.tests) expect(existsSync(join(root, file)), file).toBe(true)
  })

  // Catches two entries with one name, of which only one would ever be removed.
  test("names each check once", () => {
    expect(
      securityChecks.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index),
    ).toEqual([])
  })
})
