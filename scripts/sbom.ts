// `npm run sbom` writes the list of shipped components in CycloneDX format to out/casella.cdx.json. npm's own `npm sbom` omits the page's
// packages, Electron and CPython, and refuses the empty packages in tools/.
import { randomUUID } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { neededBy, readPackage, resolve, shippedPaths, unpackagedComponents } from "./licences.ts"

/** Everything that ships on this system: run-time packages, the packages bundled into the page, Electron and CPython. */
export function makeSbom(root: string) {
  const { locked, paths } = shippedPaths(root)
  const files = paths.filter((path) => locked[path]?.integrity !== undefined || !isEmpty(root, path))
  const refs = new Map(files.map((path) => [path, getPurl(readPackage(join(root, path)))]))
  const refsNeededBy = (path: string) =>
    neededBy(locked[path]).flatMap((name) => refs.get(resolve(locked, name, path) ?? "") ?? [])
  const components = files.map((path) => {
    const { name, version, licence } = readPackage(join(root, path))
    const purl = getPurl({ name, version })
    return {
      type: "library",
      "bom-ref": purl,
      name,
      version,
      purl,
      ...licences(licence),
      ...hashes(locked[path]),
    }
  })
  const others = unpackagedComponents.map(({ name, version, licence }) => ({
    type: "application",
    "bom-ref": `${name}@${version}`,
    name,
    version,
    ...licences(licence),
  }))
  const own = readPackage(root)
  const ownRef = getPurl(own)
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      component: {
        type: "application",
        "bom-ref": ownRef,
        name: own.name,
        version: own.version,
        ...licences(own.licence),
      },
    },
    components: unique([...components, ...others]),
    dependencies: unique([
      { "bom-ref": ownRef, needs: [...refsNeededBy(""), ...others.map((one) => one["bom-ref"])] },
      ...files.map((path) => ({ "bom-ref": refs.get(path) ?? "", needs: refsNeededBy(path) })),
    ]).map(({ "bom-ref": ref, needs }) => ({ ref, dependsOn: [...new Set(needs)].toSorted() })),
  }
}

const isEmpty = (root: string, path: string) => readPackage(join(root, path)).name === "casella-empty"

const getPurl = ({ name, version }: { name: string; version: string }) =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`

/** A package may be installed in several places. */
const unique = <T extends { "bom-ref": string }>(all: T[]): T[] => [
  ...new Map(all.toReversed().map((one) => [one["bom-ref"], one])).values(),
]

function licences(licence: string) {
  if (/^[\w.+-]+$/.test(licence)) return { licenses: [{ license: { id: licence } }] }
  if (/\b(AND|OR)\b/.test(licence)) return { licenses: [{ expression: licence }] }
  return { licenses: [{ license: { name: licence } }] }
}

function hashes({ integrity = "" }: { integrity?: string } = {}) {
  const [, sha512] = /^sha512-(\S+)/.exec(integrity) ?? []
  if (sha512 === undefined) return {}
  return { hashes: [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }] }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = join(import.meta.dirname, "..")
  const file = join(root, "out", "casella.cdx.json")
  mkdirSync(dirname(file), { recursive: true })
  const bom = makeSbom(root)
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`${file}: ${bom.components.length} components`)
}
