import { describe, expect, test } from "vitest"
import { languageCodes, type Language } from "../../shared/languages.ts"
import { en } from "./en/en.ts"
import { fetchStrings } from "./languages.ts"

type Catalogue = Readonly<Record<string, object>>

const catalogues = new Map<Language, Catalogue>()
for (const code of languageCodes) catalogues.set(code, code === "en" ? en : await fetchStrings[code]())

/** Lists all strings of a namespace: "menu.rename" -> "Rename". */
function flatten(strings: object, prefix = ""): [string, string][] {
  return Object.entries(strings).flatMap(([key, value]: [string, string | object]) =>
    typeof value === "string"
      ? [[prefix + key, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  )
}

const pluralForm = /_(zero|one|two|few|many|other)$/
const variables = (text: string) => [...text.matchAll(/\{\{\s*-?\s*(\w+)/g)].map(([, name]) => name)
const bare = (keys: Iterable<string>) =>
  [...new Set([...keys].map((key) => key.replace(pluralForm, "")))].toSorted((a, b) => a.localeCompare(b))
const getStrings = (language: Language, namespace: string) =>
  new Map(flatten(catalogues.get(language)?.[namespace] ?? {}))

describe.each(Object.keys(en))("strings of %s", (namespace) => {
  const english = getStrings("en", namespace)

  // The compiler finds missing keys, but not those that English no longer has.
  test.each(languageCodes)("has the same keys in %s", (language) => {
    expect(bare(getStrings(language, namespace).keys())).toEqual(bare(english.keys()))
  })

  test.each(languageCodes)("has every plural form of %s, and no empty text", (language) => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const strings = getStrings(language, namespace)
    const plurals = bare([...strings.keys()].filter((key) => pluralForm.test(key)))
    expect([...strings.keys()]).toEqual(
      expect.arrayContaining(plurals.flatMap((key) => forms.map((form) => `${key}_${form}`))),
    )
    expect([...strings.values()].filter((text) => text.trim() === "")).toEqual([])
  })

  test.each(languageCodes)("fills in the same variables in %s", (language) => {
    for (const [key, text] of getStrings(language, namespace)) {
      const model = english.get(key) ?? english.get(key.replace(pluralForm, "_other")) ?? ""
      // The "one" form may omit the number: "a file".
      const left = new Set(variables(model))
      if (pluralForm.test(key)) left.add("count")
      expect([...left], `${namespace}:${key}`).toEqual(expect.arrayContaining(variables(text)))
    }
  })
})
