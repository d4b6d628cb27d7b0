import { allFunctionWords } from "../../engines/vectors/text/languages.ts"
import type { ChosenPart } from "./chosen-parts.ts"
import {
  foldWord,
  joined,
  numberAndUnit,
  type WordMatch,
  type Vocabulary,
  getWords,
} from "./compare-words.ts"

/** Function words in addition to those that search uses to detect languages; those lists are short so that texts are told apart well. */
const more =
  // English
  "above across against along among around behind below beneath beside besides between beyond despite down except inside " +
  "like near off onto outside over past per since through throughout till toward towards under underneath until upon via " +
  "with within without every either neither none nor yet although though whether whereas unless mine myself yours ours " +
  "hers theirs doing done having here just less least few very too another same own again ever never always already " +
  "still now s t re ve ll d m vs versus " +
  // Italian
  "a ad col coi dallo dagli dall nello negli nell su sullo sugli sulle sull o od ed dell all quell quest c però né se mentre " +
  "poiché me mio mia miei mie tu te tuo tua tuoi tue lui lei egli ella nostro nostra nostri nostre voi vi vostro vostra " +
  "vostri vostre ne suo sua suoi sue quello quella quelli quelle quel quei quegli sei siamo siete furono essere stato stata " +
  "stati state ho hai abbiamo avete hanno aveva avevano avere può possono posso deve devono meno molto molti molta molte " +
  "poco pochi poca poche tutto tutta tutti tutte altro altra altri altre ogni qualche alcuni alcune senza dopo prima contro " +
  "verso sotto sopra durante entro oltre presso fino quanto quanta quanti quante dov com " +
  // German
  "sondern denn weil daß dass ob mein meine meinen meinem meiner dich dir dein deine ihn ihm unser unsere euch euer ans hinter " +
  "neben seit wegen trotz bin bist muss müssen soll sollen darf dürfen mag will wollen kein keine keinen schon alle jede " +
  "jeder jedes hier da dann " +
  // French
  "à contre depuis pendant avant après donc or ni car me m moi te t toi ton ta tes soi nos vos lui cela ça suis es sommes " +
  "êtes ont avait avoir ai as avons avez peut peuvent doit moins autre autres si j qu n y sous chez vers " +
  // Spanish
  "unos unas a hacia contra u sino quienes cual cuales cuyo mis tú tu tus ello nosotros nuestro nuestra vosotros os ustedes " +
  "usted esos esas aquel aquella estar había haber puede pueden debe menos mucho muchos todo todos toda todas otro otra " +
  "otros otras ya si sí desde según durante " +
  // Portuguese
  "a à às pelos pelas num numa nuns numas desde sem sob sobre contra até após durante meu minha meus minhas teu tua nosso " +
  "nossa vosso vossa ele ela eles elas eu tu nós vós isto aquilo esse essa aquele aquela qual quais cujo nem porém porque " +
  "quando onde muito muitos todo todos toda todas outro outra outros outras já sim estar está estão tem têm havia pode podem"

const smallWords: ReadonlySet<string> = new Set([...allFunctionWords(), ...more.split(" ")].map(foldWord))

/** Whether a word is a function word in some language, with or without accents. */
const isSmallWord = (word: string): boolean => smallWords.has(foldWord(word))

/** Why a call's words go beyond what the user said. */
export interface WordFault {
  /**
   * `foreign`: the user didn't say the word. `writing`: its spelling could hide something. `repeated`: it appears more often than the user
   * said it. `grammar`, `choice`: so many function words, or so many choices from the tool's vocabulary, that they could encode a message.
   */
  why: "foreign" | "writing" | "repeated" | "grammar" | "choice"
  word: string
}

/**
 * Limits for a call beyond the user's words, far above what ordinary calls need: bits of choices from the tool's vocabulary and of
 * spelling; function words in total, or per other word; and extra repetitions of the user's words.
 */
const limits = { bits: 64, small: 16, smallShare: 2, repeats: 4 }

const spaced = /^\s?\S+(?: \S+)*\s?$/u
/** A word with its surrounding punctuation: `"Rossi",` `50€` `(law)` `-used`. */
const signs = /^(?:["'“‘«([#€$£]|[-+](?=\p{L}))?(.*?)["'”’»)\]%€$£°]?[.,;:!?]?$/su
/** Punctuation that stands alone between words. */
const loneSigns = /^(?:[-–—/|+&,:;.…·×=<>%€$£°]|\.\.\.)$/u
const joints = /[-–'’/]/u
const plainWord = /^(?:\p{Nd}+(?:[.,]\p{Nd}+)*|[\p{L}\p{M}\p{Nd}]+)$/u
const bitCosts = { loneSign: 4, signs: 2, joining: 2 }
/** A single letter is free only if it is a word in some language. */
const loneLetters = new Set("aeiouyàèéóавикосуяzw")

interface Found {
  words: WordMatch[]
  /** Function words that the user didn't say. */
  small: number
  bits: number
}

/** Judges all texts of a call together. Returns null if the call says no more than the user said. */
export function judgeWords(parts: readonly ChosenPart[], vocabulary: Vocabulary): WordFault | null {
  const all: Found = { words: [], small: 0, bits: 0 }
  for (const { text, bits, value } of parts) {
    const said = value === undefined ? null : vocabulary.findValue(value)
    if (text === "" || said !== null) {
      if (said !== null) all.words.push(said)
      all.bits += bits ?? 0
      continue
    }
    if (bits !== null) {
      all.bits += bits
      continue
    }
    const found = judgeText(text, vocabulary)
    if ("why" in found) return found
    all.words.push(...found.words)
    all.small += found.small
    all.bits += found.bits
  }
  for (const [word, uses] of Map.groupBy(all.words, (said) => said.word)) {
    if (uses.length > (uses[0]?.times ?? 1) + limits.repeats) return { why: "repeated", word }
  }
  const bits = all.words.reduce((sum, said) => sum + (said.bits ?? 0), all.bits)
  if (bits > limits.bits) return { why: "choice", word: "" }
  const spells = all.small > Math.max(limits.small, all.words.length * limits.smallShare)
  return spells ? { why: "grammar", word: "" } : null
}

function judgeText(text: string, vocabulary: Vocabulary): Found | WordFault {
  if (!spaced.test(text)) return { why: "writing", word: text }
  const found: Found = { words: [], small: 0, bits: 0 }
  for (const chunk of text.trim().split(" ")) {
    const fault = judgeChunk(chunk, vocabulary, found)
    if (fault !== null) return fault
  }
  return found
}

function judgeChunk(chunk: string, vocabulary: Vocabulary, found: Found): WordFault | null {
  if (loneSigns.test(chunk)) {
    found.bits += bitCosts.loneSign
    return null
  }
  const core = vocabulary.hasChunk(chunk) ? chunk : (signs.exec(chunk)?.[1] ?? chunk)
  if (core !== chunk) found.bits += bitCosts.signs
  if (vocabulary.hasChunk(core)) {
    const words = getWords(core)
    // The choice and number of signs could encode something, even if the user wrote them first.
    if (words.length === 0) found.bits += bitCosts.loneSign
    for (const word of words) found.words.push({ times: 1, word, ...vocabulary.find(word), bits: 0 })
    return null
  }
  const whole = joined(core)
  const said = whole === null ? null : vocabulary.find(whole)
  if (said !== null) {
    if (said.bits === null) return { why: "writing", word: chunk }
    found.words.push({ ...said, bits: said.bits + bitCosts.joining })
    return null
  }
  for (const piece of core.split(joints)) {
    if (!plainWord.test(piece)) return { why: "writing", word: chunk }
    for (const word of getWords(piece)) {
      const fault = judgeWord(word, piece !== core, vocabulary, found)
      if (fault !== null) return fault
    }
  }
  return null
}

function judgeWord(word: string, isJoined: boolean, vocabulary: Vocabulary, found: Found): WordFault | null {
  const said = vocabulary.find(word)
  if (said !== null) {
    if (said.bits === null) return { why: "writing", word }
    found.words.push(said)
    return null
  }
  const parts = numberAndUnit(word).map((part) => vocabulary.find(part))
  if (parts.length > 0 && parts.every((part) => part !== null && part.bits !== null)) {
    found.words.push(...parts.flatMap((part) => part ?? []))
    found.bits += bitCosts.joining
    return null
  }
  const lower = word.toLowerCase()
  const isLone = Array.from(lower).length === 1 && !isJoined && !loneLetters.has(lower)
  if (!isSmallWord(word) || isLone) return { why: "foreign", word }
  found.small++
  return null
}
