import type { Language, Translated, TranslatedLanguage } from "../../shared/languages.ts"
import type { sentences } from "../../shared/sentences/sentences.ts"
import type { en } from "./en/en.ts"

/** All strings of the page in a language: those of English, and the sentences of the box, which sends the English ones itself. */
export type Strings<L extends Language> = Translated<typeof en, L> & {
  readonly sentences: { readonly [Feature in keyof typeof sentences]: Readonly<Record<string, string>> }
}

/** Languages other than English are loaded, as a whole, when they are needed. */
export const fetchStrings: { readonly [L in TranslatedLanguage]: () => Promise<Strings<L>> } = {
  de: async () => (await import("./de/de.ts")).de,
  it: async () => (await import("./it/it.ts")).it,
}
