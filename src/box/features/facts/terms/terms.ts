import type { FolderTerm } from "../../../../shared/contract/facts.ts"
import { detectLanguage, isFunctionWord, type LanguageCode } from "../../../engines/vectors/text/languages.ts"
import type { Block } from "../../../parsers/parser.ts"

/** Words of any language that say little about a document, and those of addresses and dates. */
const common = new Set(
  (
    "million billion thousand here there another some also one two three new first last said says say made make makes use used uses using see get got may well like just even still however within without per via upon thus therefore hereby etc www http https com org html page pages section chapter file name date number following based given including include includes want need way thing things good many lot time times year years day days month months today " +
    "anche due tre nuovo nuova primo prima ultimo fatto fare può possono essere stato stata così poi ogni altro altra altri altre tale tali pagina pagine sezione capitolo nome data numero anno anni giorno giorni mese mesi volta volte parte inoltre quindi dove sia " +
    "auch zwei drei neue neuen erste ersten letzte gemacht machen immer schon dann hier dort sowie bzw usw dabei damit dazu daher jedoch etwa alle allen jeder jede seite seiten abschnitt kapitel name datum nummer jahr jahre jahren tag tage tagen monat monate zeit teil " +
    "january february march april june july august september october november december gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre januar februar märz mai juni juli oktober dezember monday tuesday wednesday thursday friday saturday sunday"
  ).split(" "),
)

const isCommon = (word: string): boolean => common.has(word)

/** A word, or two adjacent words, of a document. */
export interface CountedTerm {
  /** In lower case. */
  key: string
  /** The original spelling. */
  form: string
  count: number
  /** The keys of its words if there are two. */
  words: readonly string[]
  occurrences: readonly TermOccurrence[]
}

interface TermOccurrence {
  block: Block
  number: number
  start: number
  end: number
}

interface Counting {
  form: string
  count: number
  occurrences: TermOccurrence[]
}

/** Maximum number of different words and pairs per document. Later ones aren't counted. */
const maxKeysPerFile = 100_000
const maxOccurrences = 3
const maxWordLength = 40
const minVotes = 3
/** A single repeated character class: one pass over any text. */
const wordPattern = /[\p{L}\p{M}\p{N}'’]+/gu
/** Letters of a script that separates words with spaces. */
const isWord =
  /^[[\p{L}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]]{2,40}$/v
const elision = /^(?:l|d|un|all|dell|dall|nell|sull|quell|c|n|s|j|m|t|qu)['’]/i
const possessive = /['’]s?$/i

/** Counts the words of a document, and which of them are adjacent. */
export function createTermCounter() {
  const words = new Map<string, Counting>()
  const pairs = new Map<string, Counting>()
  let total = 0

  function count(
    counted: Map<string, Counting>,
    key: string,
    form: string,
    occurrence: TermOccurrence,
  ): void {
    const known = counted.get(key)
    if (!known) {
      if (counted.size < maxKeysPerFile) counted.set(key, { form, count: 1, occurrences: [occurrence] })
      return
    }
    known.count++
    // a word that also occurs in lower case isn't a name: it started a sentence
    if (form === key) known.form = form
    if (known.occurrences.length < maxOccurrences && known.occurrences.at(-1)?.number !== occurrence.number)
      known.occurrences.push(occurrence)
  }

  return {
    visit(block: Block, number: number): void {
      const { text } = block
      let before: { key: string; form: string; start: number; end: number } | undefined
      for (const { 0: raw, index } of text.matchAll(wordPattern)) {
        const front = raw.length > maxWordLength ? 0 : (elision.exec(raw)?.[0].length ?? 0)
        const form = raw.length > maxWordLength ? "" : raw.slice(front).replace(possessive, "")
        if (!isWord.test(form)) {
          before = undefined
          continue
        }
        const key = form.toLowerCase()
        const word = { key, form, start: index + front, end: index + front + form.length }
        total++
        if (key.length > 2 || (key.length === 2 && form !== key))
          count(words, key, form, { block, number, ...word })
        if (before && /^\s$/.test(text.slice(before.end, word.start)))
          count(pairs, `${before.key} ${key}`, `${before.form} ${form}`, {
            block,
            number,
            start: before.start,
            end: word.end,
          })
        before = word
      }
    },

    /** Returns the meaningful terms that occur more than once, or once in a short document. */
    terms(): CountedTerm[] {
      const language = detectLanguage(everyWord(words), minVotes)
      const min = total < 150 ? 1 : 2
      const isDropped = (key: string) => isCommon(key) || isGrammar(key, language)
      const found: CountedTerm[] = []
      for (const [key, counted] of words)
        if (counted.count >= min && !isDropped(key)) found.push({ key, words: [key], ...counted })
      for (const [key, counted] of pairs) {
        const both = key.split(" ")
        if (counted.count >= 2 && both.every((word) => word.length > 2 && !isDropped(word)))
          found.push({ key, words: both, ...counted })
      }
      return found
    },
  }
}

/** Yields each word as often as it occurs, up to a limit that is enough to detect the language. */
function* everyWord(words: ReadonlyMap<string, Counting>): Generator<string> {
  for (const [word, { count }] of words) for (let left = Math.min(count, 20); left > 0; left--) yield word
}

const likely: readonly LanguageCode[] = ["en", "de", "it", "fr", "es"]
const isGrammar = (word: string, language: LanguageCode | undefined) =>
  (language === undefined ? likely : [language]).some((one) => isFunctionWord(word, one))

/** The number of documents that contain a term. */
interface Spread {
  documents: number
  /** Takes the key of a term. */
  countDocuments(key: string): number
}

const maxTerms = 30
/** If at least this share of a word's occurrences are in a pair, the pair replaces the word. */
const mostlyInPair = 0.6
/** Weight of a pair: two words that often occur together say more than each alone. */
const pairWeight = 1.4
/** Share of leading characters that must match for two words to be forms of the same word. */
const minSharedStart = 0.75

/** Returns the terms that are frequent in a document and rare in others, most distinctive first. */
export function rankTerms(terms: readonly CountedTerm[], spread: Spread): CountedTerm[] {
  const counts = new Map(terms.map(({ key, count }) => [key, count]))
  const pairCounts = new Map<string, number>()
  for (const { words, count } of terms)
    if (words.length === 2)
      for (const word of words) pairCounts.set(word, Math.max(pairCounts.get(word) ?? 0, count))
  const rarity = (key: string) => Math.log(1 + spread.documents / Math.max(1, spread.countDocuments(key)))
  const scored = terms
    .filter(({ key, words, count }) =>
      words.length === 1
        ? (pairCounts.get(key) ?? 0) < mostlyInPair * count
        : words.some((word) => count >= mostlyInPair * (counts.get(word) ?? 0)),
    )
    .map((term) => ({
      term,
      score: Math.sqrt(term.count) * rarity(term.key) * (term.words.length === 2 ? pairWeight : 1),
    }))
    .toSorted((a, b) => b.score - a.score || (a.term.key < b.term.key ? -1 : 1))
  const chosen: CountedTerm[] = []
  for (const { term } of scored) {
    if (chosen.length >= maxTerms) break
    if (!chosen.some(({ key }) => isSame(key, term.key))) chosen.push(term)
  }
  return chosen
}

/** "contract" and "contracts", "Vertrag" and "Verträge": listing both would be redundant. */
function isSame(a: string, b: string): boolean {
  const length = Math.ceil(Math.max(a.length, b.length) * minSharedStart)
  return Math.min(a.length, b.length) >= length && length >= 4 && plain(a, length) === plain(b, length)
}

const plain = (text: string, length: number) =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").slice(0, length)

/** The terms of a folder, and in how many of its documents each occurs. */
export interface FolderTerms {
  terms: FolderTerm[]
  spread: Spread
}

/** Maximum number of different terms counted per folder. Those of later files aren't counted. */
const maxKeysPerFolder = 200_000

/** Counts the terms in the documents of a folder. */
export function createFolderCounter() {
  const known = new Map<string, { term: CountedTerm; count: number; files: number }>()
  let documents = 0

  return {
    add(terms: readonly CountedTerm[]): void {
      documents++
      for (const term of terms) {
        const one = known.get(term.key)
        if (one) [one.count, one.files] = [one.count + term.count, one.files + 1]
        else if (known.size < maxKeysPerFolder)
          known.set(term.key, { term: { ...term, occurrences: [] }, count: term.count, files: 1 })
      }
    },

    /** Sorts terms so that those frequent in some documents, but not in all alike, come first. */
    result(): FolderTerms {
      const sharedTerms = new Map<string, number>()
      for (const [key, { files }] of known) if (files > 1) sharedTerms.set(key, files)
      const spread = { documents, countDocuments: (key: string) => sharedTerms.get(key) ?? 1 }
      const all = [...known.values()].map(({ term, count }) => ({ ...term, count }))
      const terms = rankTerms(all, spread).map(({ key, form, count }) => ({
        term: form,
        count,
        files: spread.countDocuments(key),
      }))
      return { terms, spread }
    },
  }
}
