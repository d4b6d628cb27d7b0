import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

/** The oldest release without known advisories of each package, anywhere in the tree; one for each maintained major version. */
const floors: Record<string, { floors: string[]; why: string }> = {
  "@e965/xlsx": {
    floors: ["0.20.2"],
    why: "CVE-2023-30533 and CVE-2024-22363: prototype pollution and backtracking",
  },
  "better-auth": { floors: ["1.6.22"], why: "advisories about taking over accounts, and CVE-2025-61928" },
  "better-sqlite3": { floors: ["13.0.0"], why: "SQLite below 3.50.2: CVE-2025-6965" },
  "body-parser": { floors: ["2.2.1"], why: "CVE-2025-13466: denial of service by url-encoded bodies" },
  electron: { floors: ["43.0.0"], why: "Electron maintains its three newest major versions" },
  express: { floors: ["5.0.0"], why: "CVE-2024-43796: open redirect" },
  "fast-uri": { floors: ["3.1.7"], why: "CVE-2026-84292: a port that names another host" },
  "file-type": { floors: ["21.3.1"], why: "CVE-2026-31808: endless loops on crafted files" },
  mathjs: { floors: ["15.2.0"], why: "CVE-2026-40897 and CVE-2026-41139: expressions that run code" },
  "node-llama-cpp": { floors: ["3.18.0"], why: "older llama.cpp reads malformed GGUF out of bounds" },
  "path-to-regexp": {
    floors: ["8.4.0"],
    why: "CVE-2024-45296, CVE-2026-4923 and CVE-2026-4926: backtracking",
  },
  qs: { floors: ["6.16.0"], why: "CVE-2025-15284, CVE-2026-82417 and CVE-2026-82562: memory exhaustion" },
  send: { floors: ["0.19.0"], why: "CVE-2024-43799: template injection" },
  tar: {
    floors: ["7.5.21"],
    why: "CVE-2026-23745: links outside the directory; CVE-2026-73566: denial of service",
  },
  undici: {
    floors: ["6.27.0", "7.29.0", "8.9.0"],
    why: "CVE-2026-12151: memory exhaustion; CVE-2026-13697: disclosure from the cache",
  },
  uuid: { floors: ["14.0.0"], why: "CVE-2026-41907: writes past the end of a buffer" },
  vite: { floors: ["6.2.7"], why: "CVE-2025-32395: files outside the root" },
  ws: { floors: ["8.17.1"], why: "CVE-2024-37890: crash by many headers" },
  yauzl: { floors: ["3.2.1"], why: "CVE-2026-31988: crafted archives that crash the reader" },
}

interface Lockfile {
  packages: Record<string, { version?: string; resolved?: string; integrity?: string; link?: boolean }>
}
const lockfile = JSON.parse(
  readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"),
) as Lockfile
type Manifest = Record<
  "dependencies" | "devDependencies" | "optionalDependencies",
  Record<string, string> | undefined
>
const manifests = [
  "package.json",
  "tools/cuda/package.json",
  "tools/development/package.json",
  "tools/node/package.json",
].map((path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8")) as Manifest)

const numbers = (version: string) => version.split("-")[0]?.split(".").map(Number) ?? []
const isBelow = (version: string, floor: string) => {
  const [have, want] = [numbers(version), numbers(floor)]
  const index = have.findIndex((part, position) => part !== (want[position] ?? 0))
  return index >= 0 && (have[index] ?? 0) < (want[index] ?? 0)
}

/** The floor for a version: that of its major version, otherwise the newest one. */
const floorFor = (version: string, list: string[]) =>
  list.find((floor) => numbers(floor)[0] === numbers(version)[0]) ?? list.at(-1) ?? ""

const locked = Object.entries(lockfile.packages).flatMap(([path, { version }]) =>
  version === undefined ? [] : [{ path, version, name: path.split("node_modules/").at(-1) ?? "" }],
)

// Catches an update that silently reintroduces a vulnerable release.
it("no package is below its floor", () => {
  const tooOld = locked.flatMap(({ path, version, name }) => {
    const rule = floors[name]
    return rule && isBelow(version, floorFor(version, rule.floors)) ? [`${path}@${version}: ${rule.why}`] : []
  })
  expect(tooOld).toEqual([])
})

// Catches a floor that has no effect because its package was removed.
it("every floor belongs to a package in the tree", () => {
  const names = new Set(locked.map(({ name }) => name))
  expect(Object.keys(floors).filter((name) => !names.has(name))).toEqual([])
})

it("every dependency is pinned to one exact version", () => {
  const all = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  expect(all.length).toBeGreaterThan(100)
  const loose = all.filter(([, range]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(range))
  expect(loose).toEqual([])
})
