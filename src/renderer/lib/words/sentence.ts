import i18next, { t } from "i18next"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"

/**
 * Translates a text from the box into the page's language. Returns it unchanged if the page doesn't know its sentence, or if the page is in
 * English.
 */
export const toPageLanguage = (text: string, sentence?: SentenceBody): string =>
  (sentence && say(sentence)) ?? text

function say({ code, values = {} }: SentenceBody): string | undefined {
  if (!i18next.exists(`sentences:${code}`)) return undefined
  const filled: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(values)) {
    const said = typeof value === "object" ? say(value) : value
    if (said === undefined) return undefined
    filled[name] = said
  }
  return fillIn(`sentences:${code}`, filled)
}

/** English sentences come from the box, so the page's own strings don't include them. */
const fillIn = t as (key: string, values: Record<string, string | number>) => string
