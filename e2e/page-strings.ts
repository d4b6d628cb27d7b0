import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { languageCodes, type Language, type TranslatedLanguage } from "../src/shared/languages.ts"

const locales = join(import.meta.dirname, "../src/renderer/locales")

/** The page's strings by key, such as `chat:conversation`. */
function getStrings(language: Language): Map<string, string> {
  const found = new Map<string, string>()
  const add = (key: string, value: unknown) => {
    if (typeof value === "string") found.set(key, value)
    else if (typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value))
        add(key.endsWith(":") ? key + name : `${key}.${name}`, inner)
  }
  const directory = join(locales, language)
  for (const file of readdirSync(directory).filter((name) => name.endsWith(".json")))
    add(`${file.slice(0, -".json".length)}:`, JSON.parse(readFileSync(join(directory, file), "utf8")))
  return found
}

const strings = new Map(languageCodes.map((language) => [language, getStrings(language)]))
const english = getStrings("en")

/** The page's text for a key. */
export function say(language: Language, key: string): string {
  const text = strings.get(language)?.get(key)
  if (text === undefined) throw new Error(`The page has no string ${key}.`)
  return text
}

/** The page's texts, without placeholders, whose keys match. */
export const sayAll = (language: Language, key: RegExp): string[] =>
  [...(strings.get(language) ?? [])].flatMap(([name, text]) =>
    key.test(name) && !value.test(text) ? [text] : [],
  )

const value = /\{\{.*?\}\}/
const letters = (text: string) => text.split(value).join("").replaceAll(/\P{L}/gu, "").length
const minLetters = 4
const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)

/** Recognises text made from one of the strings, whatever values replace its placeholders. */
function matcher(texts: Iterable<string>): (said: string) => boolean {
  const plain = new Set<string>()
  const patterns: RegExp[] = []
  for (const text of texts) {
    if (!value.test(text)) plain.add(text)
    else if (letters(text) >= minLetters)
      patterns.push(new RegExp(`^${text.split(value).map(escaped).join(".+")}$`, "s"))
  }
  return (said) => plain.has(said) || patterns.some((pattern) => pattern.test(said))
}

const matchers = new Map([...strings].map(([language, texts]) => [language, matcher(texts.values())]))
const isIn = (language: Language, text: string) => matchers.get(language)?.(text) === true
const keys = new Set([...english.keys()].flatMap((key) => [key, key.replace(/^[^:]*:/, "")]))
const bareKey = /^[a-z]+(-[a-z]+)*:[\w.-]+$/

/** Whether displayed text is a key instead of its string. */
export const isKey = (text: string): boolean => bareKey.test(text) || (text.includes(".") && keys.has(text))

/** Names of several words that are the same in a translation, such as those of other programs. */
const getNames = (language: TranslatedLanguage) =>
  [...english].flatMap(([key, text]) =>
    strings.get(language)?.get(key) === text && /^[^{}]+ [^{}]+$/.test(text) ? [text] : [],
  )

/** Whether text on a translated page is an English string that is neither one of the language nor starts with a name. */
export const isLeftInEnglish = (language: TranslatedLanguage, text: string): boolean =>
  isIn("en", text) && !isIn(language, text) && !getNames(language).some((name) => text.startsWith(`${name} `))
