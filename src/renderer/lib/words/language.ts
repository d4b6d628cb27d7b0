import i18next from "i18next"
import { initReactI18next } from "react-i18next"
import { findLanguage, isLanguage, type Language } from "../../../shared/languages.ts"
import type { en } from "../../locales/en/en.ts"
import { first } from "../../locales/en/first.ts"
import { fetchStrings } from "../../locales/languages.ts"

export type LanguageChoice = Language | "system"

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common"
    resources: typeof en
  }
}

const storageKey = "language"

export function readLanguageChoice(): LanguageChoice {
  const stored = localStorage.getItem(storageKey)
  return isLanguage(stored) ? stored : "system"
}

/** The page's language. Only those of the list are ever loaded. */
export const pageLanguage = (): Language => (i18next.resolvedLanguage ?? "en") as Language

/** Loads the strings for the first render. The page is rendered afterwards, so that it never briefly shows the wrong language. */
export async function startLanguage(): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: { en: first },
    lng: "en",
    fallbackLng: "en",
    defaultNS: "common",
    interpolation: { escapeValue: false }, // React escapes
  })
  await applyLanguage(readLanguageChoice())
}

export async function chooseLanguage(choice: LanguageChoice): Promise<void> {
  if (choice === "system") localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, choice)
  await applyLanguage(choice)
}

async function applyLanguage(choice: LanguageChoice): Promise<void> {
  const language = choice === "system" ? findLanguage(navigator.languages) : choice
  if (language !== "en" && !i18next.hasResourceBundle(language, "common"))
    addStrings(language, await fetchStrings[language]())
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}

/** Loads the strings that the first render doesn't need. These are English strings only, because other languages load as a whole. */
export async function fetchLaterStrings(): Promise<void> {
  const { later } = await import("../../locales/en/later.ts")
  addStrings("en", later)
}

function addStrings(language: Language, strings: Record<string, object>): void {
  for (const [namespace, texts] of Object.entries(strings))
    if (!i18next.hasResourceBundle(language, namespace)) i18next.addResourceBundle(language, namespace, texts)
}
