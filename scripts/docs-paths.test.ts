import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const sources = ["src", "bench", "scripts", "e2e", "docs", "resources"]
const paths = sources.flatMap((directory) => [
  `/${directory}`,
  ...readdirSync(join(root, directory), { recursive: true, encoding: "utf8" }).map(
    (path) => `/${directory}/${path.replaceAll("\\", "/")}`,
  ),
])

/** A source file, or a directory with a trailing slash, as documents name it: `turn/turn.ts`, `locales/{en,it}/<name>.json`. */
const named = /`((?:[\w@.*<>{},-]+\/)+(?:[\w.*<>{},-]+\.(?:tsx?|mjs|json|md))?)(?::\d+)?`/g

function matcher(path: string): RegExp {
  const pattern = path
    .replaceAll(".", String.raw`\.`)
    .replaceAll(/<[^>]*>|\*/g, "[^/]+")
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(${names.replaceAll(",", "|")})`)
    .replace(/\/$/, "")
  return new RegExp(`/${pattern}$`)
}

/** Paths in a data directory, a backup or a server, not in the sources. */
const otherPaths =
  /^(uploads|folders|index|tmp|trash|logs|models|snapshots|backups|avatars|chat-files|reserve|restore-ready|dist|out|in)\/|^restore-rescued\/|^(node_modules|bench\/results)\//

// Catches a document that refers to a file that was moved or removed.
test.each([
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
])("%s names only files that exist", (text) => {
  const found = Array.from(readFileSync(join(root, text), "utf8").matchAll(named), ([, path = ""]) => path)
  const missing = found.filter(
    (path) => !otherPaths.test(path) && !paths.some((known) => matcher(path).test(known)),
  )
  expect([...new Set(missing)]).toEqual([])
})
