import { lazy } from "../../core/lazy.ts"
import { languageCodes, stems } from "../../engines/vectors/text/languages.ts"

const marks = /[\u0300-\u036F]/g

const spellings: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" }

/** Returns a word in lower case with German letters spelled out: `muenchen` for `München`. */
const spellOut = (word: string): string =>
  word
    .normalize("NFC")
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => spellings[letter] ?? letter)

/** Returns a word without case and accents. */
export const foldWord = (word: string): string =>
  word.normalize("NFKD").replace(marks, "").toLowerCase().normalize("NFC")

const written = /^\d+(?:[.,]\d+)*$/
const grouped = /^\d{1,3}(?:([.,])\d{3}(?:\1\d{3})*)(?:(?!\1)[.,]\d+)?$/

const spaced = /(?<![\d.,])\d{1,3}(?:[ \u00A0\u202F]\d{3})+(?![\d])/g

/** Returns the numbers in a text whose digits are grouped by spaces, in the form `1500`. */
const spacedNumbers = (text: string): string[] =>
  (text.match(spaced) ?? []).map((found) => found.replace(/\D/g, ""))

/**
 * Returns a number in the form `1250.50`, whatever its digit grouping and decimal sign; `1.000` is read as a thousand. Returns null for
 * anything that isn't a single number, such as a date or a version.
 */
function plainNumber(word: string): string | null {
  if (!written.test(word)) return null
  const group = grouped.exec(word)?.[1]
  const plain = (group === undefined ? word : word.replaceAll(group, "")).replace(",", ".")
  return /^\d+(?:\.\d+)?$/.test(plain) ? plain : null
}

const languages = ["en", "it", "de", "fr", "es", "pt"]

const patterns = lazy(() => {
  const months = new Map<string, number>()
  for (const language of languages) {
    const named = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" })
    for (let month = 0; month < 12; month++)
      months.set(named.format(Date.UTC(2000, month)).toLowerCase(), month + 1)
  }
  const names = [...months.keys()].join("|")
  return {
    months,
    dayFirst: new RegExp(
      `(?<![\\p{L}\\p{N}])(\\d{1,2})(?:\\.|º|er|st|nd|rd|th)? (?:of |de |di )?(${names}),? (?:de |di )?(\\d{4})(?![\\p{L}\\p{N}])`,
      "giu",
    ),
    monthFirst: new RegExp(
      `(?<![\\p{L}\\p{N}])(${names}) (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})(?![\\p{L}\\p{N}])`,
      "giu",
    ),
  }
})

/** Returns the dates in a text that name their month, in the form `2026-03-12`. */
function findDates(text: string): string[] {
  const { months, dayFirst, monthFirst } = patterns()
  const dates = [
    ...Array.from(text.matchAll(dayFirst), ([, day, month, year]) => ({ day, month, year })),
    ...Array.from(text.matchAll(monthFirst), ([, month, day, year]) => ({ day, month, year })),
  ]
  return dates.map(({ day = "", month = "", year = "" }) =>
    [year, String(months.get(month.toLowerCase())).padStart(2, "0"), day.padStart(2, "0")].join("-"),
  )
}

/** Consecutive letters and digits, and numbers including their points and commas. */
export const token = /\p{Nd}+(?:[.,]\p{Nd}+)*(?![\p{L}\p{M}\p{Nd}])|[\p{L}\p{M}\p{Nd}]+/gu
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]/u
const segmenter = lazy(() => new Intl.Segmenter(undefined, { granularity: "word" }))
const minStemLength = 3

/** Returns the words and numbers of a text. Scripts without spaces are split with a dictionary. */
export function getWords(text: string): string[] {
  return (text.match(token) ?? []).flatMap((found) => (unspaced.test(found) ? segments(found) : [found]))
}

const segments = (run: string): string[] =>
  Array.from(segmenter().segment(run)).flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment] : [],
  )

/** Splits `100km` into 100 and km. Returns an empty list for a plain word or number. */
export function numberAndUnit(word: string): string[] {
  return /^\p{Nd}+[\p{L}\p{M}]+$|^[\p{L}\p{M}]+\p{Nd}+$/u.test(word)
    ? (word.match(/\p{Nd}+|[^\p{Nd}]+/gu) ?? [])
    : []
}

/** Joins the parts of a compound: `e-mail`, `U.S.`. Returns null for anything else. */
export function joined(chunk: string): string | null {
  if (/^[\p{L}\p{M}\p{Nd}]+(?:[-–][\p{L}\p{M}\p{Nd}]+)+$/u.test(chunk)) return chunk.replace(/[-–]/g, "")
  return /^\p{L}(?:\.\p{L})+\.?$/u.test(chunk) ? chunk.replaceAll(".", "") : null
}

/** Whether two words are forms of the same word in any language with a stemmer. */
function areForms(one: string, other: string): boolean {
  const shortest = Math.max(minStemLength, (Math.max(one.length, other.length) - 1) / 2)
  return languageCodes.some((code) => {
    const [stem = one] = stems(one, code)
    return stem.length >= shortest && stems(other, code)[0] === stem
  })
}

/** How a word relates to the words that the user said. */
export interface WordMatch {
  /** The word that was said, without case and accents. */
  word: string
  /** How often the word was said. */
  times: number
  /**
   * Bits that the spelling could encode, through capitals and accents that differ from those said. Null if no one writes the word that way.
   */
  bits: number | null
}

/** Lookup of words that someone said. */
export interface Vocabulary {
  /** Returns null if the word wasn't said in any form. */
  find(word: string): WordMatch | null
  /** Looks up a number by its value. Returns null if it wasn't said. */
  findValue(value: number): WordMatch | null
  /** Whether this text between two spaces was said exactly like this, with or without punctuation around it. */
  hasChunk(chunk: string): boolean
}

const around = /^[\s"'“”‘’«»()[\].,;:!?…]+|[\s"'“”‘’«»()[\].,;:!?…]+$/gu

export function createVocabulary(texts: readonly string[]): Vocabulary {
  const written = new Set<string>()
  const chunks = new Set<string>()
  const values = new Map<number, number>()
  const times = new Map<string, number>()
  const wordsByPrefix = new Map<string, Set<string>>()

  /** Adds another spelling of a word that was said. */
  const addSpelling = (form: string | null) => {
    if (form !== null && !times.has(foldWord(form))) times.set(foldWord(form), 1)
  }

  for (const text of texts) {
    for (const chunk of text.split(/\s+/u)) {
      const core = chunk.replace(around, "")
      chunks.add(chunk).add(core)
      addSpelling(joined(core))
    }
    for (const date of findDates(text)) chunks.add(date)
    for (const number of spacedNumbers(text)) {
      addSpelling(number)
      values.set(Number(number), values.get(Number(number)) ?? 1)
    }
    for (const said of getWords(text)) {
      const word = foldWord(said)
      written.add(said).add(said.toLowerCase())
      times.set(word, (times.get(word) ?? 0) + 1)
      const number = plainNumber(said)
      addSpelling(number)
      if (number !== null) values.set(Number(number), (values.get(Number(number)) ?? 0) + 1)
      for (const part of numberAndUnit(said)) addSpelling(part)
      addSpelling(spellOut(said))
      const prefix = word.slice(0, 2)
      wordsByPrefix.set(prefix, (wordsByPrefix.get(prefix) ?? new Set()).add(said.toLowerCase()))
    }
  }

  function find(raw: string): WordMatch | null {
    const lower = raw.toLowerCase()
    const word = foldWord(raw)
    const number = plainNumber(raw)
    const exact = times.get(word) ?? (number === null ? undefined : times.get(number))
    if (exact !== undefined) {
      const bits = written.has(raw) ? 0 : measureSpellingBits(raw, written.has(lower) || lower === word)
      return { word: number ?? word, times: exact, bits }
    }
    const spelled = spellOut(raw)
    const timesSpelled = times.get(foldWord(spelled))
    if (timesSpelled !== undefined)
      return { word: foldWord(spelled), times: timesSpelled, bits: measureSpellingBits(raw, false) }
    if (/\p{Nd}/u.test(word)) return null
    for (const said of wordsByPrefix.get(word.slice(0, 2)) ?? []) {
      const hasSaidAccents = areForms(lower, said)
      if (!hasSaidAccents && !areForms(word, foldWord(said))) continue
      const found = foldWord(said)
      return { word: found, times: times.get(found) ?? 1, bits: measureSpellingBits(raw, hasSaidAccents) }
    }
    return null
  }
  return {
    find,
    findValue(value) {
      const said = values.get(value)
      return said === undefined ? null : { word: String(value), times: said, bits: 0 }
    },
    hasChunk: (chunk) => chunk !== "" && chunks.has(chunk),
  }
}

/** Bits for each letter whose accent differs from the one said, for all capitals as in COVID, and for inner capitals as in MacBook. */
const bitCosts = { accent: 4, allCapitals: 1, inner: 4 }

/**
 * Returns the bits in a word's spelling. Ordinary spelling uses one form of each letter, with a capital at the start, capitals throughout,
 * or one inside the word.
 */
function measureSpellingBits(raw: string, hasSaidAccents: boolean): number | null {
  const lower = raw.toLowerCase()
  const composed = raw.normalize("NFC")
  const isPlain = composed === raw.normalize("NFKC") && !/[\u0300-\u036F]/.test(composed)
  if (!isPlain || (raw !== composed && raw !== composed.normalize("NFD"))) return null
  const accents = Array.from(composed.toLowerCase()).filter((letter) => letter !== foldWord(letter)).length
  const accented = hasSaidAccents ? 0 : accents * bitCosts.accent
  if (raw === lower || raw === capital(lower)) return accented
  if (raw === raw.toUpperCase()) return accented + bitCosts.allCapitals
  const inner = Array.from(raw)
    .slice(1)
    .filter((letter) => letter !== letter.toLowerCase()).length
  return inner === 1 ? accented + bitCosts.inner : null
}

const capital = (lower: string): string => {
  const [first = "", ...rest] = Array.from(lower)
  return first.toUpperCase() + rest.join("")
}
