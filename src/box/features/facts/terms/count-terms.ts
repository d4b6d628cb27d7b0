import { detectLanguage, isFunctionWord, type LanguageCode } from "../../../engines/vectors/text/languages.ts"
import type { Block } from "../../../parsers/parser.ts"
import { isCommon } from "./common-words.ts"

/** A word, or two adjacent words, of a document. */
export interface CountedTerm {
  /** In lower case. */
  key: string
  /** The original spelling. */
  form: string
  count: number
  /** The keys of its words if there are two. */
  words: readonly string[]
  places: readonly TermOccurrence[]
}

export interface TermOccurrence {
  block: Block
  number: number
  start: number
  end: number
}

interface Counting {
  form: string
  count: number
  places: TermOccurrence[]
}

/** Maximum number of different words and pairs per document. Later ones aren't counted. */
const maxKeys = 100_000
const maxPlaces = 3
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

  function count(counted: Map<string, Counting>, key: string, form: string, place: TermOccurrence): void {
    const known = counted.get(key)
    if (!known) {
      if (counted.size < maxKeys) counted.set(key, { form, count: 1, places: [place] })
      return
    }
    known.count++
    // a word that also occurs in lower case isn't a name: it started a sentence
    if (form === key) known.form = form
    if (known.places.length < maxPlaces && known.places.at(-1)?.number !== place.number)
      known.places.push(place)
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
      const least = total < 150 ? 1 : 2
      const isDropped = (key: string) => isCommon(key) || isGrammar(key, language)
      const found: CountedTerm[] = []
      for (const [key, counted] of words)
        if (counted.count >= least && !isDropped(key)) found.push({ key, words: [key], ...counted })
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
