import type { Page } from "tesseract.js"
import { maxBlockCharacters } from "../parser.ts"
import { splitText } from "../text/split-text.ts"

/** Confidence in percent from which a word, or a line on an illegible page, is text and no pattern. */
const legibleWord = 60
const legibleLine = 55
const legibleShare = 0.5

/** What Tesseract found on a picture in one orientation. */
export interface Reading {
  /** Characters of the words that are text without doubt. */
  legible: number
  /** Their share of all characters. */
  share: number
  paragraphs: string[]
}

/** Judges what Tesseract found: on patterns and on text that lies on its side it sees words too. */
export function toReading({ blocks }: Page): Reading {
  const paragraphs = (blocks ?? []).flatMap((block) => block.paragraphs)
  let legible = 0
  let total = 0
  for (const word of paragraphs.flatMap(({ lines }) => lines).flatMap(({ words }) => words)) {
    total += word.text.length
    if (word.confidence >= legibleWord && isWord(word.text)) legible += word.text.length
  }
  const share = total > 0 ? legible / total : 0
  const texts = paragraphs.map(({ lines }) =>
    lines
      .filter((line) => share >= legibleShare || (line.confidence >= legibleLine && isWord(line.text)))
      .map(({ text }) => text.trim())
      .join("\n"),
  )
  return { legible, share, paragraphs: texts.flatMap((text) => splitText(text.trim(), maxBlockCharacters)) }
}

/** Single letters stand for words only in scripts without capitals. */
function isWord(text: string): boolean {
  return /[\p{L}\p{N}]{2}|\p{Lo}/u.test(text)
}
