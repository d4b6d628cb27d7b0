import type { Bbox, Page } from "tesseract.js"
import { maxBlockCharacters } from "../parser.ts"
import { splitText } from "../text/split-text.ts"
import type { Area, RecognisedParagraph } from "./text-recognizer.ts"

/** Minimum confidence, in percent, for a word, or a line on an illegible page, to be text and not a pattern. */
const legibleWord = 60
const legibleLine = 55
const legibleShare = 0.5

// In scripts without capital letters, a single letter may be a word.
const shortWord = /[\p{L}\p{N}]{2}|\p{Lo}/u
/** Noise also contains words of two letters. */
const longWord = /[\p{L}\p{N}]{3}|\p{Lo}/u

/** Tesseract's result for an image in one orientation. */
export interface Reading {
  /** Number of characters in words that are certainly text. */
  legible: number
  /** Their share of all characters. */
  share: number
  paragraphs: RecognisedParagraph[]
  /** Area of everything that looked like text; undefined if nothing did. */
  area: Area | undefined
}

/** Evaluates Tesseract's result, because Tesseract also finds words in patterns and in rotated text. */
export function toReading({ blocks }: Page): Reading {
  const paragraphs = (blocks ?? []).flatMap((block) => block.paragraphs)
  let legible = 0
  let total = 0
  for (const word of paragraphs.flatMap(({ lines }) => lines).flatMap(({ words }) => words)) {
    total += word.text.length
    if (word.confidence >= legibleWord && longWord.test(word.text)) legible += word.text.length
  }
  const share = total > 0 ? legible / total : 0
  const found = paragraphs.map(({ lines, bbox }) => {
    const text = lines
      .filter(
        (line) => share >= legibleShare || (line.confidence >= legibleLine && shortWord.test(line.text)),
      )
      .map((line) => line.text.trim())
      .join("\n")
    return { text, area: getBounds([bbox]) }
  })
  const area = getBounds(paragraphs.map(({ bbox }) => bbox))
  return {
    legible,
    share,
    area,
    paragraphs: found.flatMap(({ text, area }) =>
      splitText(text.trim(), maxBlockCharacters).map((part) => ({ text: part, area })),
    ),
  }
}

function getBounds(boxes: readonly Bbox[]): Area | undefined {
  if (boxes.length === 0) return undefined
  const left = Math.min(...boxes.map(({ x0 }) => x0))
  const top = Math.min(...boxes.map(({ y0 }) => y0))
  const width = Math.max(...boxes.map(({ x1 }) => x1)) - left
  const height = Math.max(...boxes.map(({ y1 }) => y1)) - top
  return { left, top, width, height }
}
