import i18next, { t } from "i18next"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"

/** A text of the box in the page's language; as it is where its sentence isn't known there, as in English, which it is in already. */
export const inPageLanguage = (text: string, sentence?: SentenceBody): string =>
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

/** English ones come from the box, so that the page's own strings don't have them. */
const fillIn = t as (key: string, values: Record<string, string | number>) => string
