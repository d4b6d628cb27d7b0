import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { languageCodes, type Language } from "../../shared/languages.ts"
import { createStrings, texts } from "./strings.ts"

const stem = (key: string) => key.replace(/_(one|many|other)$/, "")
const stems = (language: Language) => [...new Set(Object.keys(texts[language]).map(stem))]
const variables = (text: string) => new Set([...text.matchAll(/\{\{(\w+)/g)].map(([, name]) => name))

test.each(languageCodes)(
  "has the strings of English in %s, none empty, with the same variables",
  (language) => {
    expect(stems(language)).toEqual(stems("en"))
    for (const [key, text] of Object.entries(texts[language])) {
      const model = (texts.en as Record<string, string>)[key] ?? texts.en.unread_other
      expect(text.trim(), key).not.toBe("")
      expect(variables(text), key).toEqual(variables(model))
    }
  },
)

// Catches unused strings.
test("uses every string", () => {
  const main = join(import.meta.dirname, "..")
  const sources = readdirSync(main, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(main, name), "utf8"))
    .join("\n")
  expect(stems("en").filter((key) => !sources.includes(`"${key}"`))).toEqual([])
})

test("fills in a string's variables in its language", async () => {
  const t = await createStrings("it")
  expect(t("unread", { count: 1 })).toBe("1 notifica non letta")
  expect(t("update", { version: "1.2.3" })).toBe("Aggiorna alla 1.2.3…")
  expect((await createStrings("en"))("unread", { count: 1200 })).toBe("1,200 unread notifications")
  expect((await createStrings("de"))("unread", { count: 1200 })).toBe("1.200 ungelesene Benachrichtigungen")
})
