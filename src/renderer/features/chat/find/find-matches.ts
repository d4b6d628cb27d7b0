import { wordPattern, plainText as toPlainText } from "../../../../shared/words/find-in-text.ts"
import { plainText, type ShownMessage } from "../session/chat-view.ts"

/** Returns a pattern that finds a text in any case, with or without accents, and across line ends. Undefined for an empty query. */
export function findingPattern(query: string): RegExp | undefined {
  const words = query.split(/\s+/).filter((word) => word !== "")
  return words.length === 0 ? undefined : new RegExp(words.map(wordPattern).join("\\s+"), "giu")
}

/** Counts the matches in each text. */
export const countMatches = (texts: readonly string[], pattern: RegExp): number[] =>
  texts.map((text) => [...text.matchAll(pattern)].length)

export interface TextMatch {
  /** Index of the text. */
  text: number
  /** Index of the match in the text. */
  nth: number
}

/** Returns the match with this number, counted from 0 across all texts. */
export function findMatchAt(counts: readonly number[], number: number): TextMatch | undefined {
  let before = 0
  for (const [text, count] of counts.entries()) {
    if (number < before + count) return { text, nth: number - before }
    before += count
  }
  return undefined
}

/** Returns the number of the first match in this text or after it, or of the first match if none follows. */
export function firstFrom(counts: readonly number[], text: number): number {
  const before = counts.slice(0, text).reduce((sum, count) => sum + count, 0)
  return counts.slice(text).some((count) => count > 0) ? before : 0
}

const fenced =
  /^ {0,3}(?<fence>`{3,}|~{3,})(?![`~])[^\n]*\n(?<code>[^]*?)(?:^ {0,3}\k<fence>[`~]*[ \t]*$|$(?![^]))/gm
const escaped = /\\(?<sign>[!-/:-@[-`{-~])/g
const citation = /\[\d{1,4}\]/g

const known = new WeakMap<ShownMessage, string>()

/** Returns the searchable text of a message: a question, or an answer's text with its code, tables and quotations. */
export function shownText(message: ShownMessage): string {
  const before = known.get(message)
  if (before !== undefined) return before
  const text = message.role === "assistant" ? answerText(message) : message.content
  known.set(message, text)
  return text
}

function answerText({ parts }: ShownMessage): string {
  const text = toRenderedText(plainText(parts))
  // Source numbers are buttons, not text.
  return parts.some(({ type }) => type === "source") ? text.replaceAll(citation, "") : text
}

/** Returns Markdown as it is rendered. Code keeps all its characters. */
export function toRenderedText(markdown: string): string {
  let drawn = ""
  let done = 0
  for (const { 0: block, index, groups } of markdown.matchAll(fenced)) {
    drawn += prose(markdown.slice(done, index)) + (groups?.["code"] ?? "")
    done = index + block.length
  }
  return drawn + prose(markdown.slice(done))
}

const prose = (markdown: string): string => toPlainText(markdown).replaceAll(escaped, "$<sign>")
