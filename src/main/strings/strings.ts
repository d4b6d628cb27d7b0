import { createInstance } from "i18next"
import en from "./en.json" with { type: "json" }
import it from "./it.json" with { type: "json" }

export type Language = "en" | "it"
/** A plural's forms are asked for by their common beginning. */
export type StringKey = keyof typeof en extends infer K
  ? K extends `${infer Stem}_one` | `${infer Stem}_other`
    ? Stem
    : K
  : never

export interface Strings {
  readonly language: Language
  (key: StringKey, values?: Record<string, string | number>): string
}

/** Menus', the tray's and dialogs' strings in one language. */
export async function createStrings(language: Language): Promise<Strings> {
  const texts = createInstance()
  await texts.init({
    lng: language,
    fallbackLng: "en",
    resources: { en: { translation: en }, it: { translation: it } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false }, // nothing of it is markup
  })
  const t = (key: StringKey, values: Record<string, string | number> = {}) => texts.t(key, values)
  return Object.assign(t, { language })
}

/** The first of the system's languages that the program speaks. */
export function systemLanguage(preferred: readonly string[]): Language {
  const spoken = preferred.map((tag) => tag.split("-")[0])
  return spoken.find((code): code is Language => code === "en" || code === "it") ?? "en"
}
