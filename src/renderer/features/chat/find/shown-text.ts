import { plainText as toPlainText } from "../../../../shared/words/find-in-text.ts"
import { plainText, type ShownMessage } from "../session/chat-view.ts"

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
