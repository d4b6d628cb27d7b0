import { describe, expect, test } from "vitest"
import { en } from "./en/en.ts"
import { it } from "./it/it.ts"

interface Strings {
  [key: string]: string | Strings
}

/** Lists all strings of a namespace: "menu.rename" -> "Rename". */
function flatten(strings: Strings, prefix = ""): [string, string][] {
  return Object.entries(strings).flatMap(([key, value]) =>
    typeof value === "string"
      ? [[prefix + key, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  )
}

const pluralForm = /_(zero|one|two|few|many|other)$/
const variables = (text: string) => [...text.matchAll(/\{\{\s*-?\s*(\w+)/g)].map(([, name]) => name)
const bare = (keys: string[]) =>
  [...new Set(keys.map((key) => key.replace(pluralForm, "")))].toSorted((a, b) => a.localeCompare(b))

describe.each(Object.keys(en) as (keyof typeof en)[])("strings of %s", (namespace) => {
  const languages = {
    en: new Map(flatten(en[namespace])),
    it: new Map(flatten(it[namespace])),
  }

  test("has the same keys in every language", () => {
    expect(bare([...languages.it.keys()])).toEqual(bare([...languages.en.keys()]))
  })

  test.each(["en", "it"] as const)("has every plural form of %s, and no empty text", (language) => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const keys = [...languages[language].keys()]
    const plurals = bare(keys.filter((key) => pluralForm.test(key)))
    expect(keys).toEqual(
      expect.arrayContaining(plurals.flatMap((key) => forms.map((form) => `${key}_${form}`))),
    )
    expect([...languages[language].values()].filter((text) => text.trim() === "")).toEqual([])
  })

  test("fills in the same variables in every language", () => {
    for (const [key, text] of languages.it) {
      const model = languages.en.get(key) ?? languages.en.get(key.replace(pluralForm, "_other")) ?? ""
      // The "one" form may omit the number: "a file".
      const left = new Set(variables(model))
      if (pluralForm.test(key)) left.add("count")
      expect([...left], `${namespace}:${key}`).toEqual(expect.arrayContaining(variables(text)))
    }
  })
})
