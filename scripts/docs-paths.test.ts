import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const sources = ["src", "bench", "scripts", "e2e", "docs", "resources"]
const paths = [
  ...readdirSync(root).map((name) => `/${name}`),
  ...sources.flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true, encoding: "utf8" }).map(
      (path) => `/${directory}/${path.replaceAll("\\", "/")}`,
    ),
  ),
]

/** A source file, or a directory with a trailing slash, as documents name it: `turn/turn.ts`, `locales/{en,it}/<name>.json`. */
const named = /`((?:[\w@.*<>{},-]+\/)+(?:[\w.*<>{},-]+\.(?:tsx?|mjs|json|md))?)(?::\d+)?`/g
/** The bare name of a source file: `policy.ts`. */
const bare = /`([\w-]+(?:\.[\w-]+)*\.(?:tsx?|mjs))`/g

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

const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name.replaceAll("\\", "/")}`)

/** Names of source files, directories, tests and commits, which only contributors can use. */
const forContributors =
  /`(?:[\w.-]+\/)*[\w.-]+\.(?:test|spec)\.tsx?`|\b(?:src|scripts|bench|e2e)\/[\w-]|`(?:[\w.*-]+\/)+[\w.*-]+\.(?:tsx?|mjs)`|`[\w-]+\.(?:ts|tsx|mjs)`|`(?:core|engines|features|parsers|renderer|shared|tools|box)\/[\w/-]*`|at `[0-9a-f]{7,40}`/g

// Catches a page for users that speaks of source files, tests or commits.
test.each(pages.filter((page) => !page.startsWith("docs/contributing/")))(
  "%s speaks to users and not to contributors",
  (page) => {
    const text = readFileSync(join(root, page), "utf8")
    expect(Array.from(text.matchAll(forContributors), ([found]) => found)).toEqual([])
  },
)

// Catches a document that refers to a file that was moved or removed.
test.each(["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", ...pages])(
  "%s names only files that exist",
  (text) => {
    const content = readFileSync(join(root, text), "utf8")
    const found = [...content.matchAll(named), ...content.matchAll(bare)].map(([, path = ""]) => path)
    const missing = found.filter(
      (path) => !otherPaths.test(path) && !paths.some((known) => matcher(path).test(known)),
    )
    expect([...new Set(missing)]).toEqual([])
  },
)
