import { lazy } from "../../../core/lazy.ts"
import {
  detectLanguage,
  isFunctionWord,
  hasWords,
  loadStemmers,
  stems,
  writesCompounds,
  type LanguageCode,
  type LanguageGuess,
} from "./languages.ts"
import { isUnspaced, mainScript, splitWords, type Script, type Word } from "./words.ts"

/**
 * Analysis of text for keyword search. The index stores what comes out of here and splits it at spaces only, so the
 * same word of a query and of a passage must come out the same way, in every language.
 *
 * Words are stemmed in the language of their passage; scripts without spaces become overlapping pairs or triples of
 * characters. The two kinds live in columns of their own, because their lengths and frequencies don't compare.
 */
export interface AnalysedPassage {
  /** Terms of a passage written with spaces between its words. */
  words: string | null
  /** Terms of a passage in a script without spaces. */
  grams: string | null
  language: string | null
}

export interface AnalysedQuery {
  /** One entry per word or gram, in order, with the forms that it may have in the index. */
  groups: string[][]
  language: string | null
}

const passagesPerTurn = 16
const queryGroups = 128
/** How many votes of function words a language needs: a passage has more of them than a question. */
const passageVotes = 1.5
const queryVotes = 0.5
/** Words this long get a term of their first letters, in languages that write compounds as one word. */
const compoundLength = 8
const compoundPrefix = 6

const marks = /\p{M}/gu
const ascii = /^[ -~]*$/
const umlaut = /[aou]e|[äöü]/g
const umlautPairs: Record<string, string> = { ae: "ä", oe: "ö", ue: "ü", ä: "ae", ö: "oe", ü: "ue" }
const foldable = /[ßøłđıæœ]/g
const folded: Record<string, string> = { ß: "ss", ø: "o", ł: "l", đ: "d", ı: "i", æ: "ae", œ: "oe" }
const dictionary = lazy(() => new Intl.Segmenter("th", { granularity: "word" }))

/**
 * Analyses each text, giving way to other work in between. A text too short to tell is taken to be as the others.
 * `heard` is told the terms of each, which saves taking them apart again.
 */
export async function analysePassages(
  texts: string[],
  heard?: (position: number, terms: readonly string[]) => void,
): Promise<AnalysedPassage[]> {
  const analysed: AnalysedPassage[] = []
  let common: LanguageCode | undefined
  loadStemmers()
  for (const [position, text] of texts.entries()) {
    if (position % passagesPerTurn === 0) await new Promise(setImmediate)
    const words = splitWords(text)
    const script = mainScript(words)
    const language = languageOf(words, script, passageVotes)
    if (script === "latin") common = codeOf(language) ?? common
    const stemmed = (script === "latin" ? common : undefined) ?? "likely"
    const found = words.flatMap((word) => passageTerms(word, stemmed))
    heard?.(position, found)
    const terms = found.join(" ")
    analysed.push({
      words: isUnspaced(script) || terms === "" ? null : terms,
      grams: isUnspaced(script) && terms !== "" ? terms : null,
      language,
    })
  }
  return analysed
}

/** What to look for: the words that carry meaning, or all of them when none does. */
export function analyseQuery(text: string): AnalysedQuery {
  const words = splitWords(text)
  const script = mainScript(words)
  const language = languageOf(words, script, queryVotes)
  const detected = script === "latin" ? codeOf(language) : undefined
  const meaningful = words.filter((word) => !isDropped(word, detected))
  const groups = (meaningful.length > 0 ? meaningful : words).flatMap((word) =>
    wordTerms(word, detected ?? "any", "query"),
  )
  return {
    groups: groups.slice(0, queryGroups),
    language,
  }
}

/** The language of a text: told by its script, or by its function words if there are enough of them. */
function languageOf(words: Word[], script: Script | undefined, votes: number): string | null {
  if (script !== "latin") return script ?? null
  const latin = words.filter((word) => word.script === "latin").map((word) => word.text)
  return detectLanguage(latin, votes) ?? null
}

function codeOf(language: string | null): LanguageCode | undefined {
  return language !== null && hasWords(language) ? language : undefined
}

function isDropped({ text, script }: Word, language: LanguageCode | undefined): boolean {
  if (script === "latin") return language !== undefined && isFunctionWord(text, language)
  return hasWords(script) && isFunctionWord(text, script)
}

/** Terms of words of passages, by language: texts use few words often. */
const knownTerms = new Map<LanguageGuess, Map<string, readonly string[]>>()
const mostKnown = { words: 20_000, languages: 4 }
/** Longer are runs of a script without spaces, which don't come again. */
const longestKnown = 32

/** The terms of one word of a passage. */
function passageTerms(word: Word, language: LanguageGuess): readonly string[] {
  const { text, script } = word
  const ofLanguage = knownTerms.get(language) ?? new Map<string, readonly string[]>()
  const known = ofLanguage.get(text)
  if (known !== undefined) return known
  const terms = wordTerms(word, language, "passage").flat()
  if (text.length > longestKnown || isUnspaced(script)) return terms
  if (ofLanguage.size >= mostKnown.words) ofLanguage.clear()
  if (knownTerms.size >= mostKnown.languages && !knownTerms.has(language)) knownTerms.clear()
  knownTerms.set(language, ofLanguage.set(text, terms))
  return terms
}

/** The terms of one word: a group per word or gram, whose first form is the usual one. */
function wordTerms({ text, script }: Word, language: LanguageGuess, side: "passage" | "query"): string[][] {
  if (script === "latin") {
    const forms = latinForms(text, language, side)
    const compound = writesCompounds(language) && text.length >= compoundLength
    return compound ? [forms, [`^${fold(text).slice(0, compoundPrefix)}`]] : [forms]
  }
  if (hasWords(script)) return [stems(text, script).map(fold)]
  if (script === "ko") return grams(text, text.length > 1 ? 2 : 1)
  if (script === "ja" || script === "zh") {
    return side === "passage" ? [...grams(text, 1), ...grams(text, 2)] : grams(text, text.length > 1 ? 2 : 1)
  }
  return isUnspaced(script) ? [...grams(text, 3), ...dictionaryWords(text)] : [[fold(text)]]
}

/**
 * The forms that a word may be found in. A passage keeps those of its accented words without the accents too, because
 * that is how many type a question; a question also has its word as it is, for passages whose language can't be told.
 */
function latinForms(text: string, language: LanguageGuess, side: "passage" | "query"): string[] {
  const plain = ascii.test(text)
  const forms = stems(text, language).map(fold)
  if (side === "passage" && plain) return forms
  if (side === "query") forms.push(fold(text), ...umlauts(text, language))
  else forms.push(...stems(fold(text), language).map(fold))
  return [...new Set(forms)]
}

/** A German word's other way of writing: ä as ae, and ae as ä. */
function umlauts(text: string, language: LanguageGuess): string[] {
  if (language !== "de" && language !== "any") return []
  const other = text.replace(umlaut, (found) => umlautPairs[found] ?? found)
  return other === text ? [] : stems(other, "de").map(fold)
}

function grams(text: string, size: number): string[][] {
  const characters = Array.from(text)
  const found: string[][] = []
  for (let from = 0; from + size <= characters.length; from++)
    found.push([characters.slice(from, from + size).join("")])
  return found
}

/** Words by dictionary, marked so that they don't count as grams: they find what is shorter than a gram. */
function dictionaryWords(text: string): string[][] {
  return Array.from(dictionary().segment(text), ({ segment }) => [`_${segment}`])
}

/** Drops accents, so that "cafe" finds "café"; after stemming, because stemmers need them. */
function fold(word: string): string {
  if (ascii.test(word)) return word
  const plain = word.replace(foldable, (letter) => folded[letter] ?? letter)
  return /[\p{Script=Latin}\p{Script=Greek}]/u.test(plain) ? plain.normalize("NFD").replace(marks, "") : plain
}
