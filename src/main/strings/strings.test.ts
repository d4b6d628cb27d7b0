import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import en from "./en.json" with { type: "json" }
import it from "./it.json" with { type: "json" }
import { createStrings, systemLanguage } from "./strings.ts"

const texts: Record<string, Record<string, string>> = { en, it }
const stem = (key: string) => key.replace(/_(one|many|other)$/, "")
const stems = (language: string) => [...new Set(Object.keys(texts[language] ?? {}).map(stem))]
const variables = (text: string) => new Set([...text.matchAll(/\{\{(\w+)/g)].map(([, name]) => name))

test("has the same strings in both languages, none empty, with the same variables", () => {
  expect(stems("it")).toEqual(stems("en"))
  for (const [key, text] of Object.entries(it)) {
    const model = (en as Record<string, string>)[key] ?? en.unread_other
    expect(text.trim(), key).not.toBe("")
    expect(variables(text), key).toEqual(variables(model))
  }
})

test("has every plural form", () => {
  for (const language of ["en", "it"]) {
    for (const form of new Intl.PluralRules(language).resolvedOptions().pluralCategories)
      expect(texts[language]).toHaveProperty(`unread_${form}`)
  }
})

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
})

test("uses the first supported language of the system", () => {
  expect(systemLanguage(["de-CH", "it-CH", "en"])).toBe("it")
  expect(systemLanguage(["fr"])).toBe("en")
})
