import { lazy } from "../../../core/lazy.ts"
import {
  detectLanguage,
  isFunctionWord,
  isLanguageCode,
  loadStemmers,
  stems,
  writesCompounds,
  type LanguageCode,
  type LanguageGuess,
} from "./languages.ts"
import { findPartialDates, findValues, getValueTerms } from "./values.ts"
import { isUnspaced, mainScript, splitWords, type Script, type Word } from "./words.ts"

/**
 * Analysis of text for keyword search. The index stores this output and only splits it at spaces, so a word must produce the same terms in
 * a query and in a passage, in every language.
 *
 * Words are stemmed in the language of their passage; scripts without spaces become overlapping pairs or triples of characters. The two
 * kinds are in separate columns, because their lengths and frequencies aren't comparable.
 */
export interface AnalysedPassage {
  /** Terms of a passage in a script with spaces between words. */
  words: string | null
  /** Terms of a passage in a script without spaces. */
  grams: string | null
  language: string | null
}

export interface AnalysedQuery {
  /** One entry per word or gram, in order, with its possible forms in the index. */
  groups: string[][]
  language: string | null
}

const passagesPerTurn = 16
const queryGroups = 128
/** Number of function word votes needed to detect a language. A passage has more of them than a question. */
const passageVotes = 1.5
const queryVotes = 0.5
/** In languages that write compounds as one word, words of at least this length get an additional term from their first letters. */
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
 * Analyses each text and yields to other work in between. A text too short for detection is treated as being in the language of the others.
 * `heard` receives the terms of each text, so that callers needn't split it again.
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
    const language = getLanguage(words, script, passageVotes)
    if (script === "latin") common = getCode(language) ?? common
    const stemmed = (script === "latin" ? common : undefined) ?? "likely"
    const found = words.flatMap((word) => passageTerms(word, stemmed))
    const textLanguage = language ?? (script === "latin" ? common : undefined)
    const values = new Set(findValues(text, () => textLanguage).flatMap(getValueTerms))
    for (const term of values) if (!found.includes(term)) found.push(term)
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

/** Returns the terms to search for: the meaningful words, or all words if none is meaningful. */
export function analyseQuery(text: string): AnalysedQuery {
  const words = splitWords(text)
  const script = mainScript(words)
  const language = getLanguage(words, script, queryVotes)
  const detected = script === "latin" ? getCode(language) : undefined
  const meaningful = words.filter((word) => !isDropped(word, detected))
  const valueTerms = findValueTerms(text, language)
  const groups = (meaningful.length > 0 ? meaningful : words).flatMap((word) => {
    const values = valueTerms.get(word.text) ?? []
    return wordTerms(word, detected ?? "any", "query").map((forms) => [...forms, ...values])
  })
  return {
    groups: groups.slice(0, queryGroups),
    language,
  }
}

/** Maximum number of dates and amounts of a question that are searched for in every spelling. */
const maxValues = 4

/**
 * Returns the terms of the dates and amounts in a question, by the words with which each is written: a passage that contains
 * `05.03.2024` contains all of "5 March 2024", and also of "March 2024" and "5 March".
 */
function findValueTerms(text: string, language: string | null): ReadonlyMap<string, string[]> {
  const terms = new Map<string, string[]>()
  const values = findValues(text, () => language ?? undefined).filter(
    (value) => getValueTerms(value).length > 0,
  )
  const wanted = [
    ...values.map((value) => ({ start: value.start, end: value.end, own: getValueTerms(value) })),
    ...findPartialDates(text).map(({ start, end, terms: own }) => ({ start, end, own })),
  ]
  for (const { start, end, own } of wanted.slice(0, maxValues)) {
    for (const word of splitWords(text.slice(start, end))) {
      const others = own.filter((term) => term !== word.text)
      if (others.length > 0) terms.set(word.text, [...(terms.get(word.text) ?? []), ...others])
    }
  }
  return terms
}

/** Returns the language of a text, or undefined if it can't be determined. A question needs less evidence than a passage. */
export function getTextLanguage(text: string, side: "passage" | "query"): string | undefined {
  const words = splitWords(text)
  const votes = side === "passage" ? passageVotes : queryVotes
  return getLanguage(words, mainScript(words), votes) ?? undefined
}

/** Returns the language of a text, detected by its script, or by its function words if there are enough. */
function getLanguage(words: Word[], script: Script | undefined, votes: number): string | null {
  if (script !== "latin") return script ?? null
  const latin = words.filter((word) => word.script === "latin").map((word) => word.text)
  return detectLanguage(latin, votes) ?? null
}

function getCode(language: string | null): LanguageCode | undefined {
  return language !== null && isLanguageCode(language) ? language : undefined
}

function isDropped({ text, script }: Word, language: LanguageCode | undefined): boolean {
  if (script === "latin") return language !== undefined && isFunctionWord(text, language)
  return isLanguageCode(script) && isFunctionWord(text, script)
}

/** Cached terms of passage words, by language, because texts repeat a few words often. */
const knownTerms = new Map<LanguageGuess, Map<string, readonly string[]>>()
const maxKnown = { words: 20_000, languages: 4 }
/** Longer words are runs of a script without spaces, which don't recur. */
const maxKeptWordLength = 32

/** Returns the terms of one word of a passage. */
function passageTerms(word: Word, language: LanguageGuess): readonly string[] {
  const { text, script } = word
  const languageTerms = knownTerms.get(language) ?? new Map<string, readonly string[]>()
  const known = languageTerms.get(text)
  if (known !== undefined) return known
  const terms = wordTerms(word, language, "passage").flat()
  if (text.length > maxKeptWordLength || isUnspaced(script)) return terms
  if (languageTerms.size >= maxKnown.words) languageTerms.clear()
  if (knownTerms.size >= maxKnown.languages && !knownTerms.has(language)) knownTerms.clear()
  knownTerms.set(language, languageTerms.set(text, terms))
  return terms
}

/** Returns the terms of one word: a group per word or gram, with the usual form first. */
function wordTerms({ text, script }: Word, language: LanguageGuess, side: "passage" | "query"): string[][] {
  if (script === "latin") {
    const forms = latinForms(text, language, side)
    const compound = writesCompounds(language) && text.length >= compoundLength
    return compound ? [forms, [`^${fold(text).slice(0, compoundPrefix)}`]] : [forms]
  }
  if (isLanguageCode(script)) return [stems(text, script).map(fold)]
  if (script === "ko") return grams(text, text.length > 1 ? 2 : 1)
  if (script === "ja" || script === "zh") {
    return side === "passage" ? [...grams(text, 1), ...grams(text, 2)] : grams(text, text.length > 1 ? 2 : 1)
  }
  return isUnspaced(script) ? [...grams(text, 3), ...dictionaryWords(text)] : [[fold(text)]]
}

/**
 * Returns the forms in which a word may be found. A passage also stores accented words without their accents, because many people type
 * questions that way. A question also keeps its original word, for passages in an undetected language.
 */
function latinForms(text: string, language: LanguageGuess, side: "passage" | "query"): string[] {
  const plain = ascii.test(text)
  const forms = stems(text, language).map(fold)
  if (side === "passage" && plain) return forms
  if (side === "query") forms.push(fold(text), ...umlauts(text, language))
  else forms.push(...stems(fold(text), language).map(fold))
  return [...new Set(forms)]
}

/** Returns the alternative spelling of a German word: ä as ae, and ae as ä. */
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

/** Splits text into words by dictionary. They are marked to distinguish them from grams, and find text that is shorter than a gram. */
function dictionaryWords(text: string): string[][] {
  return Array.from(dictionary().segment(text), ({ segment }) => [`_${segment}`])
}

/** Removes accents, so that "cafe" finds "café". Done after stemming, because stemmers need them. */
function fold(word: string): string {
  if (ascii.test(word)) return word
  const plain = word.replace(foldable, (letter) => folded[letter] ?? letter)
  return /[\p{Script=Latin}\p{Script=Greek}]/u.test(plain) ? plain.normalize("NFD").replace(marks, "") : plain
}
