import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { expect, test } from "vitest"

const renderer = join(import.meta.dirname, "..")
const components = readdirSync(renderer, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".tsx") && !path.endsWith(".test.tsx"),
)

/** Attributes with text that people read or hear. */
const spoken = new Set([
  "alt",
  "aria-description",
  "aria-label",
  "aria-placeholder",
  "aria-roledescription",
  "aria-valuetext",
  "description",
  "hint",
  "label",
  "name",
  "placeholder",
  "title",
])
/** Names and words that are the same in every language. */
const sameEverywhere = /^(Casella|API|Markdown|GGUF|Hugging Face|x-api-key|[a-z]+(-[a-z]+)*)$/

/** Returns the hard-coded text in a component's markup. */
function literals(path: string): string[] {
  const text = readFileSync(join(renderer, path), "utf8")
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const found: string[] = []
  const keep = (value: string) => {
    const words = value.trim()
    if (/\p{L}{2}/u.test(words) && !sameEverywhere.test(words)) found.push(words)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) keep(node.text)
    if (ts.isJsxAttribute(node) && spoken.has(node.name.getText())) {
      const value = node.initializer
      if (value && ts.isStringLiteral(value)) keep(value.text)
    }
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) {
      const { expression } = node
      if (ts.isStringLiteralLike(expression)) keep(expression.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

test.each(components)("%s takes all its text from the language files", (path) => {
  expect(literals(path)).toEqual([])
})
