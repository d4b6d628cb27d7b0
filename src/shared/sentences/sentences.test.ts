import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { expect, test } from "vitest"
import { z } from "zod"
import "../contract/messages.ts"
import { SentenceBody } from "../contract/sentence.ts"
import { toFieldIssue, wrong } from "../contract/wrong.ts"
import { Sentence } from "./sentence.ts"
import { sentence } from "./sentences.ts"

// Catches changed English text, and values that aren't sent along or are cut in the text as well.
test("has its text, and is sent as code and values", () => {
  const name = `$1 {{count}} ${"x".repeat(1000)}`
  const said = sentence("tools.server_said", { what: sentence("tools.no_program"), words: name })
  expect(said.text).toBe(`This program isn't on this computer. It said: ${name}`)
  const { sentence: body } = said.field
  expect(body).toEqual({
    code: "tools.server_said",
    values: { what: { code: "tools.no_program" }, words: `${name.slice(0, 500)}…` },
  })
  expect(SentenceBody.parse(body)).toEqual(body)
  const strange = sentence("remote.says", { what: Sentence.asIs("Boom."), words: 7 })
  expect(strange.field).toEqual({ sentence: { code: "remote.says", values: { what: "Boom.", words: 7 } } })
})

// Catches a field's issue that is sent in English only because Zod creates its issues differently.
test("adds the sentence to what a check finds", () => {
  const Schema = z.strictObject({
    name: z.string().max(5),
    list: z.array(z.number()).max(1),
    mail: z.string().regex(/@/, wrong("email")),
    given: z.union([z.int(), z.boolean()]),
    kind: z.enum(["a", "b"]),
    much: z.number().refine((value) => value < 3, wrong("from_to", { minimum: 1, maximum: 2 })),
  })
  const value = { name: "Too long", list: [1, 2], mail: "x", given: "no", much: 7, more: 1 }
  const issues = Schema.safeParse(value).error?.issues.map((each) => toFieldIssue(each.path.join("."), each))
  const issue = (field: string, message: string, code: string, values?: object) => ({
    field,
    message,
    sentence: { code: `validation.${code}`, ...(values && { values }) },
  })
  expect(issues).toEqual([
    issue("name", "must have at most 5 characters", "most_characters", { count: 5 }),
    issue("list", "must have at most 1 entries", "most_entries", { count: 1 }),
    issue("mail", "must be an email address", "email"),
    issue("given", "Invalid input", "input"),
    issue("kind", "must be one of: a, b", "one_of", { values: "a, b" }),
    issue("much", "must be from 1 to 2", "from_to", { minimum: 1, maximum: 2 }),
    issue("", "has fields that aren't allowed: more", "unknown_fields", { keys: "more" }),
  ])
})

const src = join(import.meta.dirname, "../..")
const sources = globSync("{box,serve,shared,renderer}/**/*.{ts,tsx}", { cwd: src }).filter(
  (path) => !/\.test\.|testing\//.test(path),
)

/** Returns the literal texts that a source file passes to `Sentence.asIs`. */
function ownWords(path: string): string[] {
  const text = readFileSync(join(src, path), "utf8")
  if (!text.includes("Sentence.asIs(")) return []
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const [first] =
      ts.isCallExpression(node) && node.expression.getText() === "Sentence.asIs" ? node.arguments : []
    if (first && (ts.isStringLiteralLike(first) || ts.isTemplateExpression(first)))
      found.push(`${path}: ${first.getText()}`)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

// Catches a sentence of Casella's that no other language has because it is in no list.
test("passes no text of its own through asIs", () => {
  expect(sources.length).toBeGreaterThan(500)
  expect(sources.flatMap(ownWords)).toEqual([])
})

const terminalOnly =
  /^box\/(commands\/|(box|oidc)-config\.ts|start\/network-access\.ts|core\/terminal-error\.ts|core\/objects\/s3-address\.ts|core\/data-directory\/(claim|private-directory|instance-lock)\.ts|features\/storage\/salvage\.ts)/

// Catches an error that people may see in the app, created as if only a terminal showed it.
test("creates errors for terminals only in commands and at startup", () => {
  const used = sources.filter((path) => readFileSync(join(src, path), "utf8").includes("TerminalError"))
  expect(used.filter((path) => !terminalOnly.test(path))).toEqual([])
})
