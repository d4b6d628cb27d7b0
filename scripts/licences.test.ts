import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { bundledPackages, isLicenceAllowed } from "./licences.ts"

const root = join(import.meta.dirname, "..")
const { packages, texts } = bundledPackages(root)
const named = new Set(packages.map(({ name, version }) => `${name} ${version}`))

// Would catch: a package that ships without being named.
test("every package that Casella needs is listed in the version of the lock file", () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>
  }
  const missing = Object.entries(dependencies).filter(([name, version]) => !named.has(`${name} ${version}`))
  expect(missing).toEqual([])
})

test("so is what the page is made with, and what that needs", () => {
  const names = new Set(packages.map(({ name }) => name))
  for (const name of [
    "react",
    "react-dom",
    "scheduler",
    "radix-ui",
    "@radix-ui/react-dialog",
    "lucide-react",
  ])
    expect(names).toContain(name)
  for (const name of ["vitest", "oxlint", "@playwright/test"]) expect(names).not.toContain(name)
})

// Would catch: a dependency whose licence doesn't allow what Casella's does.
test("all of it may be shipped with a program under the MIT licence", () => {
  expect(packages.filter(({ licence }) => !isLicenceAllowed(licence))).toEqual([])
})

test("nearly all of it comes with its licence's text", () => {
  const without = packages.filter(({ text }) => text === null)
  expect(without.length).toBeLessThan(packages.length / 5)
  expect(texts.every((text) => text.length > 50)).toBe(true)
})
