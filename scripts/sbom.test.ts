import { join } from "node:path"
import { expect, test } from "vitest"
import { bundledPackages } from "./licences.ts"
import { makeSbom } from "./sbom.ts"

const root = join(import.meta.dirname, "..")
const bom = makeSbom(root)

// Catches a list of only npm's production dependencies, without the page's packages, Electron and CPython, and tools listed as shipped.
test("lists exactly what ships", () => {
  const listed = bom.components.map(({ name, version }) => `${name} ${version}`)
  const shipped = bundledPackages(root).packages.map(({ name, version }) => `${name} ${version}`)
  expect(listed.toSorted()).toEqual(shipped.filter((name) => !name.startsWith("casella-empty")).toSorted())
  const names = new Set(bom.components.map(({ name }) => name))
  for (const name of ["undici", "react", "electron", "CPython"]) expect(names).toContain(name)
  for (const name of ["vitest", "oxlint"]) expect(names).not.toContain(name)
})

// Catches a file that CycloneDX readers refuse because a reference has no component, or two.
test("refers to each component once, by its URL and hash", () => {
  const refs = bom.components.map((one) => one["bom-ref"])
  expect(new Set(refs).size).toBe(refs.length)
  const known = new Set([...refs, bom.metadata.component["bom-ref"]])
  for (const { ref, dependsOn } of bom.dependencies)
    for (const one of [ref, ...dependsOn]) expect(known).toContain(one)
  const lance = bom.components.find(({ name }) => name === "@lancedb/lancedb")
  expect(lance).toMatchObject({
    purl: expect.stringMatching(/^pkg:npm\/%40lancedb\/lancedb@\d/) as string,
    licenses: [{ license: { id: "Apache-2.0" } }],
    hashes: [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) as string }],
  })
})
