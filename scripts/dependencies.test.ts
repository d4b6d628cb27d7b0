import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { otherBundledPackages, bundledPackages, importedByPage } from "./licences.ts"

/** Columns: name, version, licence, megabytes, newest release, purpose, alternatives. */
const row = /^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| [^|]+ \| [^|]+ \| [^|]{5,} \| [^|]{5,} \|$/gm
const root = join(import.meta.dirname, "..")

// Catches a new or changed dependency without a documented reason, and a documented one that has been removed.
test("docs/contributing/dependencies.md explains every shipped package, with its version and licence", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  const pageDependencies = [...importedByPage(root), ...otherBundledPackages].filter(
    (name) => name in devDependencies,
  )
  const licences = new Map(
    bundledPackages(root).packages.map(({ name, version, licence }) => [`${name} ${version}`, licence]),
  )
  const needed = [...Object.keys(dependencies), ...new Set(pageDependencies)].map((name) => {
    const version = `${name} ${dependencies[name] ?? devDependencies[name]}`
    return `${version} ${licences.get(version)}`
  })
  const page = readFileSync(join(root, "docs/contributing/dependencies.md"), "utf8")
  const explained = [...page.matchAll(row)].map(
    ([, name, version, licence]) => `${name} ${version} ${licence}`,
  )
  expect(explained.toSorted()).toEqual(needed.toSorted())
})

/** Tools that no source and no command refers to. */
const usedUnnamed = ["@typescript/native", "oxlint-tsgolint"]

// Catches a tool that is installed for every test run but no longer used.
test("every package of tools/development is used", () => {
  const { devDependencies } = JSON.parse(
    readFileSync(join(root, "tools/development/package.json"), "utf8"),
  ) as { devDependencies: Record<string, string> }
  const sources = ["bench", "e2e", "scripts", "src"].flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|mjs)$/.test(name))
      .map((name) => join(directory, name)),
  )
  const text = ["package.json", "knip.config.ts", "vitest.config.ts", ...sources]
    .filter((path) => path !== "scripts/dependencies.test.ts")
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n")
  const unused = Object.keys(devDependencies).filter((name) => {
    const used = name.replace("@types/", "").replace("dependency-cruiser", "depcruise")
    return !new RegExp(`["\`: ]${used}["\`/: ]`).test(text)
  })
  expect(unused.toSorted()).toEqual(usedUnnamed.toSorted())
})
