import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { BoxSettings } from "../../../../shared/contract/settings.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { timestamp } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { untilAborted } from "../../../core/waiting/abort-and-timeout.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { computeRoom } from "./ask-model.ts"
import { isPending, describePending } from "./pending-files.ts"
import { createSources, notesOfParts } from "./combining/cited-notes.ts"
import { combine, type Combined, type CombiningEvent, combiningRules } from "./combining/combine.ts"
import {
  charactersIn,
  type Part,
  type Document,
  computeCoverage,
  type ReadDocument,
  cutParts,
  changedSince,
  openDocuments,
} from "./documents.ts"
import { getTask } from "./deciding/decide-reading.ts"
import type { ReadingLibrary, ReadingScope } from "./library.ts"
import { type NoteStore, estimateCost } from "./notes/note-store.ts"
import type { PartTask } from "./part-prompt.ts"
import { getOrigin, type PartNotes, readParts, Withheld } from "./read-parts.ts"
import { factTable, type TableEvent, getLanguage, tableWords } from "./table/fact-table.ts"

type Progress = Extract<ChatEvent, { type: "progress" }>

/** Reports reading progress: the next file, and the remaining time at the model's speed so far. */
async function startProgress(
  notes: Pick<NoteStore, "getSpeed" | "remembered">,
  engine: ChatEngine,
  task: PartTask,
  documents: readonly Document[],
  parts: readonly Part[],
) {
  const kept = await notes.remembered(
    getOrigin(engine, task),
    documents.map(({ file }) => file),
  )
  return async (read: ReadonlyMap<Part, PartNotes>): Promise<Progress> => {
    const left = parts.filter((part) => !read.has(part))
    const found = [...read].filter(([, { isCached }]) => isCached === true)
    const reusable = Math.max(0, kept - getSize(found.map(([part]) => part)))
    const { seconds } = await estimateCost(notes, engine, Math.max(0, getSize(left) - reusable))
    const fileName = left[0]?.[0]?.document.file.name
    return {
      type: "progress",
      stage: "reading",
      done: read.size,
      total: parts.length,
      unit: "parts",
      secondsLeft: seconds,
      ...(fileName !== undefined && { fileName }),
    }
  }
}

const getSize = (parts: readonly Part[]) => parts.reduce((sum, part) => sum + charactersIn(part), 0)

export interface WholeReadingDeps {
  library: ReadingLibrary
  /** Opened with the first question that reads whole documents. */
  notes(): Promise<NoteStore>
  limit(): BoxSettings["wholeLimit"]
  logger: Logger
}

/** A question that is answered from whole documents. */
export interface WholeQuestion extends ReadingScope {
  question: string
  /** The assistant's and the caller's instructions. */
  instructions: string
  list: boolean
  /** Columns of the requested table; null: the answer is prose. */
  columns: readonly string[] | null
  boxAddress: string
  conversationKey: string
  engine: ChatEngine
  mayBeSent(): Promise<boolean>
}

export type ReadingEvent = CombiningEvent | TableEvent | Extract<ChatEvent, { type: "coverage" }>

/** `withheld`: a remote model may no longer receive the files. */
export interface ReadingEnd extends Omit<Combined, "finishReason"> {
  finishReason: Combined["finishReason"] | "withheld"
}

/** Assumed number of characters per token when parts are cut. A part that has more tokens is halved. */
const charactersPerToken = 3

/**
 * Reads everything the question is about part by part, and writes an answer from the notes. Coverage is always the last event, however the
 * reading ends.
 */
export async function* readWhole(
  deps: WholeReadingDeps,
  asked: WholeQuestion,
  signal: AbortSignal,
): AsyncGenerator<ReadingEvent, ReadingEnd> {
  const { library, logger } = deps
  const { engine, question, instructions, columns } = asked
  const task = getTask(question, columns)
  const notes = await deps.notes()
  const began = timestamp()
  const documents = await openDocuments(library, asked, signal)
  const tokens = signal.aborted
    ? undefined
    : await untilAborted(countOverheadTokens(asked, task.rules), signal)
  const room = tokens && computeRoom(engine, tokens)
  const parts = room ? cutParts(documents, room.part * charactersPerToken) : []
  const read = new Map<Part, PartNotes>()
  /** Why the remaining parts weren't read. */
  let reason: Sentence | null = null
  async function* reportProgress(): AsyncGenerator<ReadingEvent> {
    const changed = await changedSince(library, asked, documents)
    const files = documents.map(({ file }) => file).filter(isPending)
    const notices = describePending({ count: files.length, files })
    for (const notice of notices) yield { type: "notice", ...notice }
    yield { type: "coverage", ...computeCoverage(readDocuments(documents, parts, read, changed, reason)) }
  }
  if (!room || signal.aborted) {
    reason = sentence("reading.stopped")
    yield* reportProgress()
    return { finishReason: "aborted", usage: null }
  }
  const model = {
    engine,
    room,
    mayBeSent: asked.mayBeSent,
    conversationKey: `${asked.conversationKey}/reading`,
  }
  const late = AbortSignal.timeout(deps.limit().minutes * 60_000)
  let end: ReadingEnd
  try {
    const reading = readParts({ ...model, task, notes, logger }, parts, AbortSignal.any([signal, late]))
    const progress = await startProgress(notes, engine, task, documents, parts)
    yield await progress(read)
    for await (const [number, made] of reading) {
      read.set(parts[number] ?? [], made)
      yield await progress(read)
    }
    reason = sentence(signal.aborted ? "reading.stopped" : "reading.late")
    const sources = createSources(library, asked.boxAddress)
    if (columns && read.size > 0) {
      // A table of what was read before the stop needs no further model calls.
      const words = tableWords[getLanguage(question)]
      yield* factTable({ columns, words, sources }, notesOfParts(parts, read))
      end = { finishReason: signal.aborted ? "aborted" : "stop", usage: null }
    } else if (signal.aborted) end = { finishReason: "aborted", usage: null }
    else if (parts.length > 0 && read.size === 0) throw new AppError("unavailable", reason)
    else {
      const combining = { ...model, question, instructions, list: asked.list, sources }
      end = yield* combine(combining, notesOfParts(parts, read), signal)
    }
  } catch (error) {
    if (!(error instanceof Withheld)) {
      reason = error instanceof AppError ? error.sentence : sentence("reading.unreadable")
      yield* reportProgress()
      throw error
    }
    reason = sentence("reading.withheld")
    end = { finishReason: "withheld", usage: null }
  }
  yield* reportProgress()
  if (read.size === parts.length) {
    const ids = documents.map(({ file }) => file.id)
    await notes.removeOutdated(getOrigin(engine, task), ids, began).catch((error: unknown) => {
      logger.debug({ err: error }, "Removing old notes failed")
    })
  }
  return end
}

/** Returns the tokens that requests need in addition to parts and notes. Loads the model, whose context window is known only then. */
async function countOverheadTokens({ engine, question, instructions }: WholeQuestion, rules: string) {
  return {
    part: await engine.countTokens(`${rules}\n${question}`),
    combined: await engine.countTokens(`${instructions}\n${combiningRules}\n${question}`),
  }
}

/** Returns which blocks of each document weren't read, and why. */
function readDocuments(
  documents: readonly Document[],
  parts: readonly Part[],
  read: ReadonlyMap<Part, PartNotes>,
  changed: ReadonlyMap<Document, Sentence>,
  reason: Sentence | null,
): ReadDocument[] {
  const unread = new Map(
    documents.map((document) => [
      document,
      { blocks: new Set<number>(), reason: changed.get(document) ?? null },
    ]),
  )
  for (const part of parts) {
    const made = read.get(part)
    for (const [position, { document, index }] of part.entries()) {
      const of = unread.get(document)
      const why = made ? made.unread.get(position) : reason
      if (!of || why === undefined) continue
      of.blocks.add(index)
      of.reason ??= why
    }
  }
  // If no part was cut, nothing was read.
  return documents.map((document) => {
    const of = unread.get(document) ?? { blocks: new Set<number>(), reason }
    if (parts.length > 0 || document.blocks.length === 0) return { document, unread: of }
    return { document, unread: { blocks: new Set(document.blocks.keys()), reason } }
  })
}
