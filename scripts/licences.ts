import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "vite"

export interface BundledPackage {
  name: string
  version: string
  licence: string
  text: number | null
}

export interface LockedPackage {
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** The source of the page's styles, the API reference, and the desktop program itself: no import names them. */
export const otherBundledPackages = ["tailwindcss", "swagger-ui-dist", "electron"]
/** Software that a package contains without its licence. */
export const unpackagedComponents = [
  { name: "CPython", version: "3.11.3", licence: "PSF-2.0", file: "resources/licences/cpython.txt" },
]
const allowedLicence =
  /\b(MIT|ISC|BSD|Apache|0BSD|CC0|BlueOak|Unlicense|WTFPL|Zlib|Python|PSF|MPL|CC-BY|OFL|Artistic|LGPL)/i
/** Whether a package under this licence may be shipped with a program under the MIT licence. */
export const isLicenceAllowed = (licence: string): boolean => allowedLicence.test(licence)

const licenceFile = /^(licen[cs]e|copying|notice)/i

/**
 * Packages shipped with Casella: those it needs at run time, and the build dependencies that are bundled into the page. Only installed
 * packages are included; the rest are for other systems.
 */
export function bundledPackages(root: string): { packages: BundledPackage[]; texts: string[] } {
  const { paths } = shippedPaths(root)
  const texts: string[] = []
  const packages = paths.map((path): BundledPackage => {
    const directory = join(root, path)
    const text = readLicence(directory)
    if (text !== null && !texts.includes(text)) texts.push(text)
    const { name, version, licence } = readPackage(directory)
    return { name, version, licence, text: text === null ? null : texts.indexOf(text) }
  })
  for (const { file, ...own } of unpackagedComponents) {
    packages.push({ ...own, text: texts.push(readFileSync(join(root, file), "utf8").trim()) - 1 })
  }
  const unique = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]))
  return { packages: [...unique.values()].toSorted((a, b) => a.name.localeCompare(b.name)), texts }
}

/** The lockfile's packages, and the lockfile paths of those that ship. */
export function shippedPaths(root: string): { locked: Record<string, LockedPackage>; paths: string[] } {
  const { packages: locked } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>
  }
  const needed = Object.keys(locked[""]?.dependencies ?? {})
  const paths = closure(locked, [...needed, ...importedByPage(root), ...otherBundledPackages]).filter(
    (path) => existsSync(join(root, path, "package.json")),
  )
  return { locked, paths }
}

/** Provides `virtual:licences`, which the page fetches when a user wants to read it. */
export function licences(root: string): Plugin {
  const id = "\0virtual:licences"
  return {
    name: "licences",
    resolveId: (source) => (source === "virtual:licences" ? id : undefined),
    load(wanted) {
      if (wanted !== id) return undefined
      const { packages, texts } = bundledPackages(root)
      return `export const packages = ${JSON.stringify(packages)}\nexport const texts = ${JSON.stringify(texts)}`
    },
  }
}

/** Names of the packages that the page's source imports. */
export function importedByPage(root: string): string[] {
  const directory = join(root, "src/renderer")
  const names = new Set<string>()
  for (const file of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    if (!/\.(tsx?|css)$/.test(file) || /\.test\.tsx?$/.test(file)) continue
    const text = readFileSync(join(directory, file), "utf8")
    for (const [, source = ""] of text.matchAll(/(?:from|import|import\()\s*"([^".][^"]*)"/g)) {
      names.add(
        source
          .split("/")
          .slice(0, source.startsWith("@") ? 2 : 1)
          .join("/"),
      )
    }
  }
  return [...names]
}

/** Lockfile paths of these packages and all their dependencies. */
function closure(locked: Record<string, LockedPackage>, names: string[]): string[] {
  const found = new Set<string>()
  const waiting = names.map((name) => ({ name, from: "" }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const path = resolve(locked, next.name, next.from)
    if (path === undefined || found.has(path)) continue
    found.add(path)
    waiting.push(...neededBy(locked[path]).map((name) => ({ name, from: path })))
  }
  return [...found]
}

/** Names of a package's dependencies. */
export function neededBy(locked: LockedPackage = {}): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = locked
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  )
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
}

/** The path at which Node finds a package when another one imports it. */
export function resolve(
  locked: Record<string, LockedPackage>,
  name: string,
  from: string,
): string | undefined {
  const own = `${from === "" ? "" : `${from}/`}node_modules/${name}`
  if (locked[own]) return own
  if (from === "") return undefined
  const above = from.lastIndexOf("/node_modules/")
  return resolve(locked, name, above === -1 ? "" : from.slice(0, above))
}

export function readPackage(directory: string): { name: string; version: string; licence: string } {
  const { name, version, license, licenses } = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8"),
  ) as {
    name: string
    version: string
    license?: string | { type: string }
    licenses?: { type: string }[]
  }
  const licence =
    (typeof license === "object" ? license.type : license) ?? licenses?.map(({ type }) => type).join(" OR ")
  return { name, version, licence: licence ?? "see text" }
}

function readLicence(directory: string): string | null {
  const files = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
    .map(({ name }) => name)
    .toSorted()
  if (files.length === 0) return null
  return files
    .map((name) => readFileSync(join(directory, name), "utf8").trim().replaceAll("\r\n", "\n"))
    .join("\n\n")
}
