import { findLanguage, type Language } from "../../../shared/languages.ts"

const firstKeyNames: Record<Language, string> = { en: "First run", de: "Erster Start", it: "Primo avvio" }

/** The name of the key that the first start creates, in the system's language, because no one has chosen one yet. */
export const getFirstKeyName = (tag = new Intl.NumberFormat().resolvedOptions().locale): string =>
  firstKeyNames[findLanguage([tag])]
