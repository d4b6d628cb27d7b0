import { createInstance } from "i18next"
import type { Language, Translated } from "../../shared/languages.ts"
import de from "./de.json" with { type: "json" }
import en from "./en.json" with { type: "json" }
import it from "./it.json" with { type: "json" }

/** The desktop program's strings by language. */
export const texts: { readonly [L in Language]: Translated<typeof en, L> } = { en, de, it }

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
  const instance = createInstance()
  await instance.init({
    lng: language,
    fallbackLng: "en",
    resources: { en: { translation: en }, [language]: { translation: texts[language] } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false }, // no string is used as markup
  })
  const t = (key: StringKey, values: Record<string, string | number> = {}) => instance.t(key, values)
  return Object.assign(t, { language })
}
