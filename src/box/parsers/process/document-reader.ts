import type { FileReason } from "../../../shared/contract/files.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { eitherSignal } from "../../core/waiting/abort.ts"
import { prepareLanguages } from "../ocr/languages.ts"
import { OcrNeeded } from "../ocr/text-recognizer.ts"
import { failure, ParseFailure, skipped } from "../parser.ts"
import type { Block, ParserInput, ScannedPages } from "../parser.ts"
import { createParserProcesses } from "./parser-processes.ts"
import type { KeptLimits } from "./parser-processes.ts"

export interface DocumentLimits extends KeptLimits {
  /** Processor time that one document may take, in ms; with OCR, each look at a picture. */
  processorMs: number
  /**
   * Time by the clock, in ms, that one document may take, or one step with OCR: the last resort, because other programs
   * may keep the processors busy. Time in which nobody wants the next blocks doesn't count.
   */
  longestMs: number
  /** The same for a whole document that is read with OCR. */
  ocrLongestMs: number
  /** Characters of text that are read of one document; the rest is left out with a note. */
  characters: number
}

const defaultLimits: DocumentLimits = {
  processorMs: 60_000,
  longestMs: 10 * 60_000,
  ocrLongestMs: 45 * 60_000,
  characters: 64_000_000,
  memoryBytes: 2 ** 30,
  heapMegabytes: 512,
  documentsPerProcess: 2000,
  idleMs: 30_000,
}
/** Additional processes for people none of whose documents is being read: a workbook can keep a process busy for a minute. */
const sparePlaces = 1
/** Tesseract holds hundreds of MB, and takes little of its time to start. */
const ocrIdleMs = 10_000

export interface ReadOptions {
  /** Ends the reading with the signal's reason. */
  signal?: AbortSignal
  /** Owner of the document; people take turns. */
  person?: string
  /** Gets what there is to say of everything that was left out or repaired. */
  onNote?: (note: FileReason) => void
  /**
   * Recognises text in pictures. Such documents have a process of their own, so that nothing else waits for them.
   * Without it a document that needs OCR throws `OcrNeeded`, perhaps after its first blocks.
   */
  ocr?: boolean
  /**
   * Gets the scans of a document whose text was read; what they show is read later, one by one, with `scan` and
   * `ocr`. Without it such a document throws `OcrNeeded`.
   */
  onScans?: (scans: ScannedPages) => void
}

export interface DocumentReader extends AsyncDisposable {
  /**
   * Blocks of a document in reading order, from a process of its own that reads no further than two batches ahead.
   * Throws `ParseFailure`: its `outcome` says whether the file `failed` or is `skipped`, its message says why.
   */
  read(input: ParserInput, options?: ReadOptions): AsyncGenerator<Block, void, undefined>
}

export interface DocumentReaderDeps {
  spawn: SpawnChild
  logger: Logger
  /** Documents that are read at the same time. */
  slots?: number
  /** Directory of language files for OCR, made when it is missing. Without it no document is read with OCR. */
  ocrLanguages?: string
  limits?: Partial<DocumentLimits>
}

/** Reads documents in a few child processes that start when needed, are reused, and end when idle. */
export function createDocumentReader({
  spawn,
  logger,
  slots = 2,
  ocrLanguages,
  limits,
}: DocumentReaderDeps): DocumentReader {
  const bounds = { ...defaultLimits, ...limits }
  const closing = new AbortController()
  const quick = createParserProcesses(spawn, bounds, slots, sparePlaces)
  // one: Tesseract keeps a core busy for as long as it reads
  const slow = createParserProcesses(
    spawn,
    {
      ...bounds,
      documentsPerProcess: 200,
      idleMs: Math.min(bounds.idleMs, ocrIdleMs),
      ...(ocrLanguages && { ocrLanguages }),
    },
    1,
  )

  async function* read(
    input: ParserInput,
    { signal, person, onNote, ocr = false, onScans }: ReadOptions = {},
  ): AsyncGenerator<Block, void, undefined> {
    const stop = eitherSignal(signal, closing.signal)
    using place = await (ocr ? slow : quick).acquire(stop, person)
    if (ocr && ocrLanguages !== undefined) await prepareLanguages(ocrLanguages)
    const connection = place.connect()
    using lent = await connection.lend(input)
    let remainingMs = ocr ? bounds.ocrLongestMs : bounds.longestMs
    let finished = false
    let characters = 0
    try {
      connection.send({
        type: "read",
        input: lent.input,
        maxCharacters: bounds.characters,
        ocrLanguages: (ocr ? ocrLanguages : undefined) ?? null,
        leaveScans: onScans !== undefined,
        processorMs: bounds.processorMs,
      })
      while (!finished) {
        const asked = performance.now()
        const reply = await connection.receive(Math.min(remainingMs, bounds.longestMs), stop)
        remainingMs -= performance.now() - asked
        for (const note of reply.notes) onNote?.(note)
        if (reply.type === "fault") {
          logger.error({ document: input.name, fault: reply.message }, "a parser failed")
          throw failure("parser_failed")
        }
        if (reply.type === "recognising") continue
        finished = reply.type !== "batch" || reply.done
        if (reply.type === "failure")
          throw new ParseFailure(reply.reason, reply.outcome, reply.transientCause)
        if (reply.type === "ocr-needed") throw ocr ? withoutOcr() : new OcrNeeded()
        if (reply.type !== "batch") throw new Error(`The parser answered ${reply.type} to a document.`)
        characters += reply.blocks.reduce((sum, { text }) => sum + text.length, 0)
        // it counts itself, unless it was taken over
        if (characters > bounds.characters) throw failure("parser_crashed")
        if (!reply.done) connection.send({ type: "next" })
        if (reply.scans && reply.scans.scans.length > 0) onScans?.(reply.scans)
        yield* reply.blocks
      }
    } finally {
      if (!finished) connection.kill()
    }
  }

  return {
    read,
    async [Symbol.asyncDispose]() {
      closing.abort(new AppError("unavailable", sentence("core.shutting_down")))
      await Promise.all([quick[Symbol.asyncDispose](), slow[Symbol.asyncDispose]()])
    },
  }
}

function withoutOcr(): ParseFailure {
  return skipped("no_ocr")
}
