import type { ChatEvent } from "../../../../../shared/contract/chat.ts"
import type { BlockNumbers, CitedNote, Sources } from "./cited-notes.ts"
import type { PlacedBlock } from "../cut-parts.ts"
import { yieldToEventLoop } from "../../../../core/waiting/yield-to-event-loop.ts"
import { citedNumbers } from "../notes/notes.ts"
import { createRareWords } from "../notes/rare-words.ts"

export type CitedText = Extract<ChatEvent, { type: "source" | "text-delta" }>

/** Scans a run of spaces only once, because a model may write a million of them. */
const citation = /(?<![ \t])[ \t]*\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\]/g

/**
 * Returns an answer line by line, with source numbers. Sources come before the line that first cites them. Unknown numbers are left out; a
 * line without numbers gets those of the note that it repeats, if that is certain.
 */
export function createLineCiting(notes: readonly CitedNote[], numbers: BlockNumbers, sources: Sources) {
  const rare = createRareWords(notes.map(({ text }) => text))

  async function* cited(blocks: readonly PlacedBlock[]): AsyncGenerator<CitedText, string> {
    let text = ""
    for (const block of blocks) {
      const { citation: number, source } = await sources.cite(block)
      if (source) yield { type: "source", ...source }
      text += `[${number}]`
    }
    return text
  }

  /** @param end text that follows the line */
  async function* citeLine(line: string, end: string): AsyncGenerator<CitedText> {
    await yieldToEventLoop() // a piece may have a hundred thousand lines
    let text = ""
    let from = 0
    for (const match of line.matchAll(citation)) {
      const blocks = citedNumbers(match[0]).flatMap((number) => numbers.block(number) ?? [])
      const space = blocks.length > 0 && /^[ \t]/.test(match[0]) ? " " : ""
      text += line.slice(from, match.index) + space + (yield* cited(blocks))
      from = match.index + match[0].length
    }
    text += line.slice(from)
    if (from === 0 && !/^\s*(?:#|>|```)/.test(line)) {
      const note = rare.certain(line)
      const at = (note === null ? undefined : notes[note])?.at ?? []
      if (at.length > 0) text = `${text.trimEnd()} ${yield* cited(at)}`
    }
    yield { type: "text-delta", textDelta: text + end }
  }

  let open = ""
  return {
    /** Returns the complete lines of a text that arrives in pieces. */
    async *add(piece: string): AsyncGenerator<CitedText> {
      const [first = "", ...lines] = piece.split("\n") // avoids splitting the whole open line, which may be long, with each piece
      open += first
      for (const next of lines) {
        const line = open
        open = next
        yield* citeLine(line, "\n")
      }
    },

    /** The remaining text at the end is also a line. */
    async *end(): AsyncGenerator<CitedText> {
      const line = open
      open = ""
      if (line !== "") yield* citeLine(line, "")
    },

    /** Returns the notes unchanged, one per line, until the signal is aborted: there may be thousands. */
    async *list(listed: readonly CitedNote[], signal: AbortSignal): AsyncGenerator<CitedText> {
      for (const { text, at } of listed) {
        await yieldToEventLoop()
        if (signal.aborted) return
        const numbersOfNote = yield* cited(at)
        yield { type: "text-delta", textDelta: `- ${text}${numbersOfNote && ` ${numbersOfNote}`}\n` }
      }
    },
  }
}

export type LineCiting = ReturnType<typeof createLineCiting>
