import type { Source, ChatEvent } from "../../../../../shared/contract/chat.ts"
import { yieldToEventLoop } from "../../../../core/waiting/yield-to-event-loop.ts"
import { sourceLink } from "../../grounding/cite-passages.ts"
import type { PlacedBlock, Document, Part } from "../documents.ts"
import { getFolder, type ReadingLibrary } from "../library.ts"
import { citedNumbers, createRareWords } from "../notes/notes.ts"
import type { PartNotes } from "../read-parts.ts"

/** A note and the blocks that it is based on, in any document. */
export interface CitedNote {
  text: string
  at: readonly PlacedBlock[]
  cells?: readonly string[] | undefined
  /** The documents that were read for it, if it isn't based on a block. */
  from?: readonly Document[]
}

/** Gives each block that notes are based on the number by which a model cites it, starting at 1. */
export function numberBlocks(notes: readonly CitedNote[]): BlockNumbers {
  const numbers = new Map<string, number>()
  const blocks: PlacedBlock[] = []
  for (const block of notes.flatMap(({ at }) => at)) {
    if (numbers.has(getKey(block))) continue
    blocks.push(block)
    numbers.set(getKey(block), blocks.length)
  }
  return {
    of: ({ at }) => at.map((block) => numbers.get(getKey(block)) ?? 0),
    block: (number) => blocks[number - 1] ?? null,
  }
}

interface BlockNumbers {
  of(note: CitedNote): number[]
  /** Returns null if no block has this number. */
  block(number: number): PlacedBlock | null
}

const getKey = ({ document, index }: PlacedBlock) => `${document.file.id}/${index}`

/** Creates sources from blocks, numbered in the order in which the text cites them. */
export function createSources(library: Pick<ReadingLibrary, "getPassage">, boxAddress: string) {
  const cited = new Map<string, number>()

  return {
    /** Returns the citation number of a block, and its source if it is cited for the first time. */
    async cite(placed: PlacedBlock): Promise<{ citation: number; source: Source | null }> {
      const key = getKey(placed)
      const known = cited.get(key)
      if (known !== undefined) return { citation: known, source: null }
      const citation = cited.size + 1
      cited.set(key, citation)
      const { file, blocks } = placed.document
      const block = blocks[placed.index] ?? placed.block
      const passage = {
        id: (await library.getPassage(file.id, block)) ?? file.id,
        fileId: file.id,
        fileName: file.name,
        vectorId: getFolder(file),
        relativePath: file.relativePath,
        text: block.text,
        location: block.location,
        score: 1,
        rank: {},
      }
      return { citation, source: { ...passage, citation, url: sourceLink(boxAddress, passage) } }
    },
    isCited: (placed: PlacedBlock): boolean => cited.has(getKey(placed)),
  }
}

export type Sources = ReturnType<typeof createSources>

/**
 * Returns the notes of all parts that were read, in document order. A statement without a location is left out if it was already made. A
 * row is left out if each of its possible documents already has it.
 */
export function notesOfParts(parts: readonly Part[], read: ReadonlyMap<Part, PartNotes>): CitedNote[] {
  const notes = parts.flatMap((part) =>
    (read.get(part)?.notes ?? []).map(({ text, blocks, cells }) => ({
      text,
      cells,
      at: blocks.flatMap((block) => part[block] ?? []),
      from: blocks.length > 0 ? [] : [...new Set(part.map(({ document }) => document))],
    })),
  )
  const seen = new Set(notes.filter(({ at }) => at.length > 0).flatMap(getKeys))
  return notes.filter((note) => {
    if (note.at.length > 0) return true
    const isNew = getKeys(note).some((key) => !seen.has(key))
    for (const key of getKeys(note)) seen.add(key)
    return isNew
  })
}

/** Returns the keys that identify equal notes: the text, or for a row the cells and the document. */
function getKeys({ text, cells, at, from = [] }: CitedNote): string[] {
  if (!cells) return [text]
  const documents = new Set([...at.map(({ document }) => document), ...from])
  return [...documents].map(({ file }) => JSON.stringify([file.id, cells]))
}

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

/**
 * Escapes a foreign text for a line or a cell of Markdown. It can't end the cell, change its format, contain a link, or be read as a
 * citation.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/\[(\s*\d+(?:\s*[,;]\s*\d+)*\s*)\]/g, "($1)")
    .replaceAll(/[\\`*<|~$[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=[#\w]+;)/gu, String.raw`\$&`)
