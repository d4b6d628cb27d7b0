import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

/** Oldest releases without the known advisories of each package, wherever it stands in the tree. */
const floors: Record<string, { floor: string; why: string }> = {
  "@fastify/busboy": {
    floor: "1.2.1",
    why: "CVE-2023-26154 family: multipart parsers that crash on crafted headers",
  },
  ws: { floor: "8.17.1", why: "CVE-2024-37890: crash by many headers" },
  express: { floor: "5.0.0", why: "CVE-2024-43796: open redirect" },
  "path-to-regexp": { floor: "8.0.0", why: "CVE-2024-45296: backtracking" },
  "body-parser": { floor: "2.2.1", why: "CVE-2025-13466: denial of service by url-encoded bodies" },
  qs: { floor: "6.14.1", why: "CVE-2025-15284: memory exhaustion by arrays" },
  send: { floor: "0.19.0", why: "CVE-2024-43799: template injection" },
  "better-auth": { floor: "1.3.26", why: "CVE-2025-61928: API keys made without signing in" },
  tar: { floor: "7.5.3", why: "CVE-2026-23745: links outside the target directory" },
  vite: { floor: "6.2.7", why: "CVE-2025-32395: files outside the root" },
  "fast-uri": { floor: "3.0.0", why: "kept current" },
  electron: { floor: "39.0.0", why: "out-of-support Chromium below" },
  "node-llama-cpp": { floor: "3.18.0", why: "older llama.cpp reads malformed GGUF out of bounds" },
  "better-sqlite3": { floor: "13.0.0", why: "SQLite below 3.50.2: CVE-2025-6965" },
  "pdfjs-dist": { floor: "6.2.108", why: "CVE-2024-4367 and later: scripts in fonts" },
  mammoth: { floor: "1.11.0", why: "CVE-2025-11849: files read through links" },
  "@e965/xlsx": {
    floor: "0.20.2",
    why: "CVE-2023-30533 and CVE-2024-22363: prototype pollution and backtracking",
  },
  yauzl: { floor: "3.2.1", why: "names and sizes that crash the reader" },
  "file-type": { floor: "21.3.1", why: "endless loops on crafted files" },
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

// Would catch: an older Node or a careless update that silently brings a vulnerable release back.
it("no package is below its floor", () => {
  const tooOld = Object.entries(lockfile.packages).flatMap(([path, { version }]) => {
    const name = path.split("node_modules/").at(-1) ?? ""
    const rule = floors[name]
    return rule && version !== undefined && isBelow(version, rule.floor)
      ? [`${path}@${version}: ${rule.why}`]
      : []
  })
  expect(tooOld).toEqual([])
})

it("every dependency is pinned to one exact version", () => {
  const all = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  expect(all.length).toBeGreaterThan(100)
  const loose = all.filter(([, range]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(range))
  expect(loose).toEqual([])
})
