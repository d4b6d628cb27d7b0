import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ts from "typescript"
import { expect, test } from "vitest"
import { later } from "./en/later.ts"

const entry = join(import.meta.dirname, "../main.tsx")

/** The files that are loaded before the first render: all static imports except types, and nothing loaded by `import()`. */
function initialFiles(path: string, known = new Set<string>()): Set<string> {
  if (known.has(path)) return known
  known.add(path)
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || statement.importClause?.isTypeOnly) continue
    const { text } = statement.moduleSpecifier as ts.StringLiteral
    if (/^\..*\.tsx?$/.test(text)) initialFiles(join(dirname(path), text), known)
  }
  return known
}

// Catches raw keys on screen, because the strings of later parts aren't loaded yet.
test("uses no later strings in the first render", () => {
  const files = [...initialFiles(entry)]
  expect(files.length).toBeGreaterThan(50)
  const used = new RegExp(`["'\`](${Object.keys(later).join("|")}):[\\w.]+`, "g")
  expect(
    files.flatMap(
      (path) =>
        readFileSync(path, "utf8")
          .match(used)
          ?.map((key) => `${path} ${key}`) ?? [],
    ),
  ).toEqual([])
})
