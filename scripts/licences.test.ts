import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { bundledPackages, isLicenceAllowed } from "./licences.ts"

const root = join(import.meta.dirname, "..")
const { packages, texts } = bundledPackages(root)
const named = new Set(packages.map(({ name, version }) => `${name} ${version}`))

// Catches a package that ships without being listed.
test("every package that Casella needs is listed with the version in the lockfile", () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>
  }
  const missing = Object.entries(dependencies).filter(([name, version]) => !named.has(`${name} ${version}`))
  expect(missing).toEqual([])
})

test("packages that the page is built from, and their dependencies, are listed", () => {
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

// Catches a dependency whose licence is incompatible with Casella's.
test("every listed package may be shipped with a program under the MIT licence", () => {
  expect(packages.filter(({ licence }) => !isLicenceAllowed(licence))).toEqual([])
})

test("nearly every listed package includes its licence text", () => {
  const without = packages.filter(({ text }) => text === null)
  expect(without.length).toBeLessThan(packages.length / 5)
  expect(texts.every((text) => text.length > 50)).toBe(true)
})
