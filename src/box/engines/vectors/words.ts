/** A word of a text in lower case, with what its letters say about its language. */
export interface Word {
  text: string
  script: Script
}

export type Script = keyof typeof patterns | "latin" | "number" | "other"

const longestWord = 64

/** Scripts by the language that they stand for. Cyrillic is treated as Russian, which serves its neighbours passably. */
const patterns = {
  ru: /\p{Script=Cyrillic}/u,
  ar: /\p{Script=Arabic}/u,
  hy: /\p{Script=Armenian}/u,
  ta: /\p{Script=Tamil}/u,
  el: /\p{Script=Greek}/u,
  he: /\p{Script=Hebrew}/u,
  ko: /\p{Script=Hangul}/u,
  hi: /\p{Script=Devanagari}/u,
  th: /\p{Script=Thai}/u,
  lo: /\p{Script=Lao}/u,
  km: /\p{Script=Khmer}/u,
  my: /\p{Script=Myanmar}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  zh: /\p{Script=Han}/u,
}

const wordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const invisible = /[\u00AD\u200B-\u200D\u2060\uFEFF]/gu
const camelCase = /\p{Ll}\p{Lu}/u
const camelBorder = /(?<=\p{Ll})(?=\p{Lu})/u
const digits = /^[\p{N}]+$/u
const ascii = /^[\x20-\x7E]+$/
const latin = /\p{Script=Latin}/u
const unspaced = new Set<Script>(["th", "lo", "km", "my", "ja", "zh"])

/** Splits a text into words; in scripts without spaces a "word" is all that stands between two signs. */
export function splitWords(text: string): Word[] {
  const words: Word[] = []
  for (const [match] of text.normalize("NFKC").replace(invisible, "").matchAll(wordPattern)) {
    const word = match.toLowerCase().replaceAll("ё", "е")
    const script = scriptOf(word)
    words.push({
      text: script === "latin" || script === "number" ? word.slice(0, longestWord) : word,
      script,
    })
    if (script === "latin" && camelCase.test(match)) {
      for (const part of match.split(camelBorder)) words.push({ text: part.toLowerCase(), script })
    }
  }
  return words
}

/** The script of most letters; numbers don't count. */
export function mainScript(words: Word[]): Script | undefined {
  const lengths = new Map<Script, number>()
  for (const { text, script } of words) {
    if (script !== "number") lengths.set(script, (lengths.get(script) ?? 0) + text.length)
  }
  let main: Script | undefined
  for (const [script, length] of lengths) if (!main || length > (lengths.get(main) ?? 0)) main = script
  return main
}

/** Whether the script is written without spaces between words. */
export function isUnspaced(script: Script | undefined): boolean {
  return script !== undefined && unspaced.has(script)
}

function scriptOf(word: string): Script {
  if (digits.test(word)) return "number"
  if (ascii.test(word) || latin.test(word)) return "latin"
  for (const [script, pattern] of Object.entries(patterns)) if (pattern.test(word)) return script as Script
  return "other"
}
