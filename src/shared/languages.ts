/**
 * The languages of the interface, each with its own name, in the order in which people see them. Everything that exists per language
 * derives from this list, and doesn't compile while a language is missing.
 */
export const languages = { en: "English", de: "Deutsch", it: "Italiano" } as const

export type Language = keyof typeof languages
/** English is the language of the source, and the fallback. */
export type TranslatedLanguage = Exclude<Language, "en">

/** The plural categories of Unicode's CLDR that a language has. */
interface PluralForms extends Record<Language, AnyForm> {
  en: "one" | "other"
  de: "one" | "other"
  it: "one" | "many" | "other"
}
/** i18next also reads `_zero`, in every language, for a count of 0. */
type AnyForm = Exclude<Intl.LDMLPluralRule, "zero">

export const languageCodes = Object.keys(languages) as Language[]

export const isLanguage = (code: string | null): code is Language => Object.hasOwn(languages, code ?? "")

/** Returns the first of some language tags that the interface has, best first; English if it has none of them. */
export const findLanguage = (tags: readonly string[]): Language =>
  tags.map((tag) => tag.split("-")[0] ?? "").find(isLanguage) ?? "en"

type StemOf<Key, Form extends AnyForm = AnyForm> = Form extends unknown
  ? Key extends `${infer Stem}_${Form}`
    ? Stem
    : never
  : never

/** The strings that a language needs to be complete: those of English, with the plural forms of the language. */
export type Translated<English, L extends Language> = {
  readonly [
    Key in keyof English as [StemOf<Key>] extends [never] ? Key : `${StemOf<Key>}_${PluralForms[L]}`
  ]: English[Key] extends string ? string : Translated<English[Key], L>
}
