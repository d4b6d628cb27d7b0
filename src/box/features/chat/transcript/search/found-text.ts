import type { ChatSearchHit } from "../../../../../shared/contract/conversations.ts"
import { plainText } from "../../../../../shared/words/plain-text.ts"
import { wordPattern } from "../../../../../shared/words/word-pattern.ts"

export interface FoundText {
  /** Whether the text contains every word. */
  complete: boolean
  /** 0–3: 2 points if the words are adjacent and in the searched order, 1 point if all are whole words. */
  quality: number
  snippet: ChatSearchHit["snippet"]
}

/** Maximum number of characters shown before the first hit, and in total. */
const before = 60
const shown = 220
const nearSpace = 20

/** Creates a function that searches texts for the words. Created once per search. */
export function createTextFinder(words: readonly string[]): (text: string) => FoundText {
  const patterns = words.map((word) => new RegExp(wordPattern(word), "iu"))
  const alone = words.map(
    (word) => new RegExp(`(?<![\\p{L}\\p{N}])${wordPattern(word)}(?![\\p{L}\\p{N}])`, "iu"),
  )
  const together = new RegExp(words.map(wordPattern).join("[\\s\\p{P}]+"), "iu")
  const any = new RegExp(
    [...words]
      .sort((a, b) => b.length - a.length)
      .map(wordPattern)
      .join("|"),
    "giu",
  )

  /** Shows the passage as plain text. If a word occurs only in a link's address, shows the raw text. */
  function makeSnippet(raw: string, text: string): FoundText["snippet"] {
    const plain = toOneLine(plainText(raw))
    const shown = patterns.every((pattern) => pattern.test(plain)) ? plain : text
    return cut(shown, together.exec(shown)?.index ?? Math.max(0, shown.search(any)), any)
  }

  return (raw) => {
    const text = toOneLine(raw)
    return {
      complete: patterns.every((pattern) => pattern.test(text)),
      quality: (together.test(text) ? 2 : 0) + (alone.every((pattern) => pattern.test(text)) ? 1 : 0),
      snippet: makeSnippet(raw, text),
    }
  }
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

function cut(text: string, at: number, hits: RegExp): ChatSearchHit["snippet"] {
  const start = at <= before ? 0 : wordStart(text, at - before)
  const end = start + shown >= text.length ? text.length : wordStart(text, start + shown - nearSpace)
  const window = text.slice(start, end)
  const pieces: ChatSearchHit["snippet"] = start > 0 ? [{ text: "…", hit: false }] : []
  const add = (piece: string, hit: boolean) => {
    const last = pieces.at(-1)
    if (last?.hit === hit) last.text += piece
    else if (piece !== "") pieces.push({ text: piece, hit })
  }
  let done = 0
  for (const { 0: found, index } of window.matchAll(hits)) {
    add(window.slice(done, index), false)
    add(found, true)
    done = index + found.length
  }
  add(window.slice(done) + (end < text.length ? "…" : ""), false)
  return pieces
}

/** Returns the next start of a word or, if no space is near, the next character boundary. */
function wordStart(text: string, from: number): number {
  const space = text.indexOf(" ", from)
  if (space >= 0 && space < from + nearSpace) return space + 1
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from
}
