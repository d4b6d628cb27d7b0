import { createInstance } from "i18next"
import en from "./en.json" with { type: "json" }
import it from "./it.json" with { type: "json" }

export type Language = "en" | "it"
/** Plural forms are looked up by their common stem. */
export type StringKey = keyof typeof en extends infer K
  ? K extends `${infer Stem}_one` | `${infer Stem}_other`
    ? Stem
    : K
  : never

export interface Strings {
  readonly language: Language
  (key: StringKey, values?: Record<string, string | number>): string
}

/** Returns the strings of menus, the tray and dialogs in one language. */
export async function createStrings(language: Language): Promise<Strings> {
  const texts = createInstance()
  await texts.init({
    lng: language,
    fallbackLng: "en",
    resources: { en: { translation: en }, it: { translation: it } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false }, // no string is used as markup
  })
  const t = (key: StringKey, values: Record<string, string | number> = {}) => texts.t(key, values)
  return Object.assign(t, { language })
}

/** Returns the first of the system's languages that the program supports. */
export function systemLanguage(preferred: readonly string[]): Language {
  const spoken = preferred.map((tag) => tag.split("-")[0])
  return spoken.find((code): code is Language => code === "en" || code === "it") ?? "en"
}
