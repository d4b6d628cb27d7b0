const asciiText = /^[\x20-\x7E\s]*$/
/** Soft hyphens, joiners, direction marks, the Arabic elongation character, and stress marks on Cyrillic letters. */
const meaningless = /[\u00AD\u0640\u200B-\u200F\u2060\u2066-\u2069\uFEFF]|(?<=\p{Script=Cyrillic})\u0301/gu
/** Vowel points, with which Hebrew and Arabic are rarely written. */
const points =
  /(?<=[\p{Script=Hebrew}\p{Script=Arabic}\p{M}])[\u0591-\u05C7\u0610-\u061A\u064B-\u065F\u0670]/gu
const nonAsciiDigit = /(?![0-9])\p{Nd}/gu
const sameLetter = /\u06A9|\u06CC|\u06C0|\u0901/g
/** Replaces Persian letters by Arabic ones, and the two Hindi signs for a nasal vowel by one. */
const sameLetters: Record<string, string> = { ک: "ك", ی: "ي", ۀ: "ه", "\u0901": "\u0902" }

/** Normalises a text for comparison in search: full-width characters, ligatures, digits of other scripts, joiners. */
function plainCharacters(text: string): string {
  if (asciiText.test(text)) return text
  return text
    .normalize("NFKC")
    .replace(meaningless, "")
    .replace(points, "")
    .replace(nonAsciiDigit, getDigit)
    .replace(sameLetter, (letter) => sameLetters[letter] ?? letter)
}

/** Digits of a script have consecutive codes; in Indian scripts they start at position 6 of their row of 16. */
function getDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  if (code > 0xffff) return digit
  return String((code & 15) - (code >= 0x966 && code <= 0xdef ? 6 : 0))
}

/** A word of a text in lower case, with the script of its letters. */
export interface Word {
  text: string
  script: Script
}

/** `code`: an invoice number, an address or a name in a program. It is found only as a whole and in no other form. */
export type Script = keyof typeof patterns | "latin" | "number" | "code" | "other"

const maxWordLength = 64

/**
 * Scripts by the code of the language that they represent. Cyrillic is treated as Russian, which works reasonably well for related
 * languages.
 */
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

const scripts = Object.entries(patterns)
const simpleWord = /^[A-Za-z][a-z]*$/
const wordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** Scripts that are written next to others without a space: 2024年, iPhoneを. */
const closeScripts =
  "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Mymr}"
const closeWritten = new RegExp(`[${closeScripts}]`, "u")
const scriptRuns = new RegExp(`[${closeScripts}]+|[^${closeScripts}]+`, "gu")
const camelCase = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}{2}/u
const camelBorder = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u
const numberBorder = /(?<=\p{N})(?=\p{L})|(?<=\p{L})(?=\p{N})/u
/** An identifier with more parts than this is a checksum or similar, whose parts have no meaning. */
const maxParts = 4
const hasNumber = /\p{N}/u
const digits = /^\p{N}+$/u
const ascii = /^[\x20-\x7E]+$/
const latin = /\p{Script=Latin}/u
const unspaced = new Set<string | null | undefined>(["th", "lo", "km", "my", "ja", "zh"])

/** Splits a text into words. In scripts without spaces, a "word" is all text between two punctuation marks. */
export function splitWords(raw: string): Word[] {
  const text = removeEncoded(plainCharacters(raw))
  const words: Word[] = []
  let parts: string[] = []
  let joints = ""
  let before = ""
  let end = 0
  for (const { 0: match, index } of text.matchAll(wordPattern)) {
    const joint = index - end === 1 ? (text[end] ?? "") : ""
    if (joint !== "" && joint !== " " && joins(joint, before, match)) {
      if (parts.length === 0) parts = [before]
      parts.push(match)
      joints += joint
    } else if (parts.length > 0) {
      words.push(...whole(parts, joints))
      parts = []
      joints = ""
    }
    before = match
    end = index + match.length
    if (simpleWord.test(match))
      words.push({ text: match.toLowerCase().slice(0, maxWordLength), script: "latin" })
    else words.push(...getWords(match))
    if (match.length === 1 && /^(?:\+\+|#)(?!\w)/.test(text.slice(end, end + 3))) {
      words.push(code(match + (text[end] === "#" ? "#" : "++"))) // C++, C#
    }
  }
  words.push(...whole(parts, joints))
  return words
}

/** Lines that may be base64, in either alphabet, or hexadecimal digits. */
const encodedLines = /[A-Za-z0-9+/_-]{60,}(?:\s+[A-Za-z0-9+/_-]{60,})*/g
const minEncoded = 120
/** Minimum length of hexadecimal text, longer than a checksum. */
const minHex = 256
const hex = /^[0-9a-f\s]+$/i

/**
 * Returns the text without encoded bytes, such as an image in an email. No one searches for them, but almost every group of letters would
 * be a separate term: indexing 50 MB took gigabytes of memory.
 */
function removeEncoded(text: string): string {
  return text.replace(encodedLines, (run) => (isEncoded(run) ? " " : run))
}

/** Addresses and names have few or no capitals and digits. */
function isEncoded(run: string): boolean {
  if (run.length < minEncoded) return false
  if (run.length >= minHex && hex.test(run)) return true
  const count = (characters: RegExp) => run.length - run.replace(characters, "").length
  const share = run.length / 8
  return count(/[A-Z]/g) > share && count(/[a-z]/g) > share && count(/[0-9]/g) > share / 2
}

/** Returns the script of most letters; numbers are ignored. */
export function mainScript(words: Word[]): Script | undefined {
  const lengths = new Map<Script, number>()
  for (const { text, script } of words) {
    if (script === "number" || script === "code") continue
    lengths.set(script, (lengths.get(script) ?? 0) + text.length)
  }
  let main: Script | undefined
  for (const [script, length] of lengths) if (!main || length > (lengths.get(main) ?? 0)) main = script
  return main
}

/** Whether the script, or the language that it stands for, is written without spaces between words. */
export function isUnspaced(script: string | null | undefined): boolean {
  return unspaced.has(script)
}

const identifierJoints = /^[-_./@:]+$/
const thousandsJoints = /^[.,'’]+$/
const maxJoined = 8

function joins(joint: string, before: string, after: string): boolean {
  if (before === "") return false
  return identifierJoints.test(joint) || (thousandsJoints.test(joint) && isNumber(before) && isNumber(after))
}

/** Returns the identifier or number that these parts, joined by single characters, form in addition to the parts. */
function whole(parts: readonly string[], joints: string): Word[] {
  if (parts.length < 2 || parts.length > maxJoined) return []
  const joined = parts.join("")
  if (joined.length > maxWordLength) return []
  if (
    thousandsJoints.test(joints) &&
    parts.every(isNumber) &&
    parts.slice(1).every(({ length }) => length === 3)
  )
    return [{ text: joined, script: "number" }]
  const named = /[_@]/.test(joints) || parts.some((part) => /\p{N}/u.test(part))
  return named && identifierJoints.test(joints) ? [code(joined)] : []
}

function getWords(match: string): Word[] {
  if (!ascii.test(match) && closeWritten.test(match)) {
    const runs = match.match(scriptRuns) ?? []
    if (runs.length > 1) return runs.flatMap(getWords)
  }
  const text = match.toLowerCase().replaceAll("ё", "е")
  const script = getScript(text)
  if (script === "latin" && text === match && !hasNumber.test(text)) {
    return [{ text: text.slice(0, maxWordLength), script }]
  }
  if (script !== "latin") return [{ text: script === "number" ? text.slice(0, maxWordLength) : text, script }]
  const word: Word = { text: text.slice(0, maxWordLength), script }
  const camel = camelCase.test(match) ? match.split(camelBorder) : [match]
  const parts = camel.flatMap((part) => part.split(numberBorder))
  if (parts.length === 1) return [word]
  const mixed = camel.length < parts.length ? [code(match)] : []
  return parts.length > maxParts && mixed.length > 0
    ? [word]
    : [word, ...parts.map((part) => ({ text: part.toLowerCase(), script: getScript(part) })), ...mixed]
}

const isNumber = (text: string) => digits.test(text)
const code = (text: string): Word => ({
  text: `=${text.toLowerCase()}`.slice(0, maxWordLength),
  script: "code",
})

function getScript(word: string): Script {
  if (digits.test(word)) return "number"
  if (ascii.test(word) || latin.test(word)) return "latin"
  for (const [script, pattern] of scripts) if (pattern.test(word)) return script as Script
  return "other"
}
