import i18next from "i18next"
import { initReactI18next } from "react-i18next"
import { en } from "../locales/en/en.ts"

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

/** The first of the system's languages that the page speaks; English when it speaks none of them. */
export function systemLanguage(preferred: readonly string[] = navigator.languages): Language {
  return preferred.map((tag) => tag.split("-")[0] ?? "").find(isLanguage) ?? "en"
}

/** Prepares all strings. The page is drawn afterwards, so that it never shows a language first that it leaves at once. */
export async function startLanguage(): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: { en },
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
  if (!i18next.hasResourceBundle(language, "common")) await addItalian()
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}

/** Languages but English are fetched when they are wanted. */
async function addItalian(): Promise<void> {
  const { it } = await import("../locales/it/it.ts")
  for (const [namespace, strings] of Object.entries(it)) i18next.addResourceBundle("it", namespace, strings)
}
