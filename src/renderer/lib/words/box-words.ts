import i18next, { t } from "i18next"

/** Notices of the box that always say the same, apart from counts. */
const notices = [
  "context_full",
  "embedding_unavailable",
  "index_rebuilding",
  "index_unavailable",
  "messages_left_out",
  "no_embedding_model",
  "no_model",
  "no_passages",
  "passages_left_out",
  "reranker_late",
  "reranker_unavailable",
  "tool_limit",
] as const

/** Errors whose code says it all. */
const errors = ["chat_busy", "disk_full", "no_model", "rate_limited"] as const

const isOneOf = <Code extends string>(codes: readonly Code[], code: string): code is Code =>
  (codes as readonly string[]).includes(code)

/** What the box remarks, in the page's language. */
export const noticeText = ({ code, message }: { code: string; message: string }): string =>
  isOneOf(notices, code) ? t(`common:notices.${code}`) : sentenceText(message)

/** Why something failed, in the page's language. */
export const failureText = (code: string, message: string): string =>
  isOneOf(errors, code) ? t(`common:errors.${code}`) : sentenceText(message)

interface Sentences {
  whole: Readonly<Record<string, string>>
  patterns: { pattern: RegExp; names: string[]; text: string }[]
}

const sentencesOf = new Map<string, Sentences>()
const slot = /\{\{(\w+)\}\}/g
/** What is longer is no sentence of the box's own. */
const longest = 2000

/**
 * A sentence that the box says in English, in the page's language: `locales/<language>/sentences.json` has it as it is, or
 * with names where it holds values, which may be sentences themselves. It stays as it is where that doesn't know it.
 */
export function sentenceText(sentence: string): string {
  const sentences = pageSentences()
  if (sentences === undefined || sentence.length > longest) return sentence
  if (Object.hasOwn(sentences.whole, sentence)) return sentences.whole[sentence] ?? sentence
  for (const { pattern, names, text } of sentences.patterns) {
    const found = pattern.exec(sentence)
    if (found === null) continue
    const values = new Map(names.map((name, index) => [name, sentenceText(found[index + 1] ?? "")]))
    return text.replace(slot, (_, name: string) => values.get(name) ?? "")
  }
  return sentence
}

function pageSentences(): Sentences | undefined {
  const { language } = i18next
  const known = sentencesOf.get(language)
  if (known) return known
  const whole = i18next.getResourceBundle(language, "worded") as Record<string, string> | undefined
  if (whole === undefined) return undefined
  const patterns = Object.entries(whole)
    .filter(([sentence]) => sentence.includes("{{"))
    .map(([sentence, text]) => ({ ...toPattern(sentence), text }))
  const sentences = { whole, patterns }
  sentencesOf.set(language, sentences)
  return sentences
}

function toPattern(sentence: string): { pattern: RegExp; names: string[] } {
  const escaped = sentence.replace(/[$()*+.?[\\\]^|]/g, String.raw`\$&`)
  return {
    pattern: new RegExp(`^${escaped.replace(slot, String.raw`([\s\S]*?)`)}$`),
    names: Array.from(sentence.matchAll(slot), ([, name = ""]) => name),
  }
}
