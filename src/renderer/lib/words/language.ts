import i18next from "i18next"
import { initReactI18next } from "react-i18next"
import type { en } from "../../locales/en/en.ts"
import { first } from "../../locales/en/first.ts"

export const languages = { en: "English", it: "Italiano" } as const
export type Language = keyof typeof languages
export type LanguageChoice = Language | "system"

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common"
    resources: typeof en
  }
}

const storageKey = "language"
const isLanguage = (code: string | null): code is Language => code !== null && Object.hasOwn(languages, code)

export function readLanguageChoice(): LanguageChoice {
  const stored = localStorage.getItem(storageKey)
  return isLanguage(stored) ? stored : "system"
}

/** The first of the system's languages that the page supports; English if it supports none of them. */
export function systemLanguage(preferred: readonly string[] = navigator.languages): Language {
  return preferred.map((tag) => tag.split("-")[0] ?? "").find(isLanguage) ?? "en"
}

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
  const language = choice === "system" ? systemLanguage() : choice
  if (language !== "en" && !i18next.hasResourceBundle(language, "common"))
    addStrings(language, await fetchStrings[language]())
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}

/** Languages other than English are loaded when they are needed. */
const fetchStrings: Record<Exclude<Language, "en">, () => Promise<Record<string, object>>> = {
  it: async () => (await import("../../locales/it/it.ts")).it,
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
