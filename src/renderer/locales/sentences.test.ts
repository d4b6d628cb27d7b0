import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { z } from "zod"
import "../../shared/contract/messages.ts"
import { sentenceText } from "../lib/words/box-words.ts"
import { it } from "./it/it.ts"

const root = join(import.meta.dirname, "../..")

/** Made of pieces, so that they stand nowhere as a whole. */
const composed = /^must (have|be) at (least|most) /

beforeAll(async () => {
  await i18next.init({ lng: "it", resources: { it }, interpolation: { escapeValue: false } })
})

/** In place of a value. */
const gap = "…"

/** All sources of the box, strings that go over several lines joined, values left out, those inside values first. */
function readSources(): string {
  const files = globSync("{box,shared/contract}/**/*.ts", { cwd: root }).filter(
    (file) => !/\.test\.|testing/.test(file),
  )
  const written = files
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n")
    .replace(/["`]\s*\+\s*["`]/g, "")
    .replace(/\\"/g, '"')
  const inner = written.replace(/\$\{[^{}]*\}/g, gap)
  return written + inner + inner.replace(/\$\{[^{}]*\}/g, gap)
}

// Would catch: a sentence that was worded anew in the box, so that it is English again on an Italian page.
test("every sentence is one that the box says", () => {
  const sources = readSources()
  const bare = Object.keys(it.worded)
    .filter((sentence) => !composed.test(sentence))
    .map((sentence) => sentence.replace(/\{\{\w+\}\}/g, gap).replace(/^…/, ""))
  expect(bare.filter((sentence) => !sources.includes(sentence))).toEqual([])
})

test("values are kept, in every sentence", () => {
  const names = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(String).toSorted()
  for (const [sentence, text] of Object.entries(it.worded))
    expect(names(text), sentence).toEqual(names(sentence))
})

// Would catch: a sentence that is taken for another one, values that get lost, and what strangers said being changed.
test.each([
  [
    "The server ended before it had answered. It said: Error: KEY is missing (x)",
    "Il server si è chiuso prima di rispondere. Ha detto: Error: KEY is missing (x)",
  ],
  [
    "The model server can't work with this request. It says: $1 {{words}}",
    "Il server del modello non può trattare questa richiesta. Dice: $1 {{words}}",
  ],
  ["Nobody has worded this.", "Nobody has worded this."],
  ["constructor", "constructor"],
])("%s", (english, italian) => {
  expect(sentenceText(english)).toBe(italian)
})

// Would catch: words of the checks that were changed, and with them what stands under a field.
test("what is wrong with a field", () => {
  const Schema = z.object({
    name: z.string().min(1).max(5),
    list: z.array(z.number()).max(1),
    count: z.int().max(9),
  })
  const { error } = Schema.safeParse({ name: "Too long", list: [1, 2], count: 10 })
  expect(error?.issues.map(({ message }) => sentenceText(message))).toEqual([
    "può avere al massimo 5 caratteri",
    "può avere al massimo 1 voci",
    "può essere al massimo 9",
  ])
})
