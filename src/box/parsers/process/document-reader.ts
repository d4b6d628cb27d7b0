import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import type { FileReason } from "../../../shared/contract/files.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import { makeTemporaryDirectory } from "../../core/files/temporary-files.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { eitherSignal } from "../../core/waiting/abort-and-timeout.ts"
import { prepareLanguages } from "../ocr/languages.ts"
import {
  OcrNeeded,
  failure,
  ParseFailure,
  skipped,
  type Block,
  type ParserInput,
  type ScannedPages,
  type StatedProperties,
} from "../parser.ts"
import { createParserProcesses, type PoolLimits } from "./parser-processes.ts"

export interface DocumentLimits extends PoolLimits {
  /** Maximum processor time per document, in ms; with OCR, per call of Tesseract for an image. */
  processorMs: number
  /**
   * Maximum time on the clock, in ms, per document, or per step with OCR. This is a last resort, because other programs may keep the
   * processors busy. Time in which the consumer requests no blocks isn't included.
   */
  timeoutMs: number
  /** Maximum time on the clock, in ms, for a whole document that is read with OCR. */
  ocrLongestMs: number
  /** Maximum number of characters read from one document. The rest is left out with a note. */
  characters: number
}

const defaultLimits: DocumentLimits = {
  processorMs: 60_000,
  timeoutMs: 10 * 60_000,
  ocrLongestMs: 45 * 60_000,
  characters: 64_000_000,
  memoryBytes: 2 ** 30,
  heapMegabytes: 512,
  documentsPerProcess: 2000,
  idleMs: 30_000,
}
/** Additional processes for users none of whose documents is being read, because a workbook can keep a process busy for a minute. */
const spareSlots = 1
/** Tesseract uses hundreds of MB, and starts quickly compared with its work. */
const ocrIdleMs = 10_000

export interface ReadOptions {
  /** Stops reading with the signal's reason. */
  signal?: AbortSignal
  /** Owner of the document. Users take turns. */
  person?: string
  /** Called with a note for everything that was left out or repaired. */
  onNote?: (note: FileReason) => void
  /**
   * Recognises text in images. Such documents have their own process, so that nothing else waits for them. Without it, a document that
   * needs OCR throws `OcrNeeded`, possibly after its first blocks.
   */
  ocr?: boolean
  /**
   * Called with the scans of a document whose text was read. The scans are read later, one at a time, with `scan` and `ocr`. Without it,
   * such a document throws `OcrNeeded`.
   */
  onScans?: (scans: ScannedPages) => void
  /** Whether the pictures in documents are passed to `onScans`, too. */
  wantsPictures?: boolean
  /** Called with what the document states about itself, once it is read. */
  onProperties?: (properties: StatedProperties) => void
  /** Called with the readers that read the document, as `UsedReaders` describes them, once it is read or its reader has failed. */
  onReaders?: (readers: string) => void
}

export interface DocumentReader extends AsyncDisposable {
  /**
   * Yields the blocks of a document in reading order, from a separate process that reads at most two batches ahead. Throws `ParseFailure`:
   * its `outcome` says whether the file `failed` or was `skipped`, and its message says why.
   */
  read(input: ParserInput, options?: ReadOptions): AsyncGenerator<Block, void, undefined>
}

/** Reads documents in a few child processes, which start when needed, are reused, and end when idle. */
export function createDocumentReader({
  spawn,
  logger,
  slots = 2,
  ocrLanguages,
  limits,
}: {
  spawn: SpawnChild
  logger: Logger
  /** Number of documents that are read at the same time. */
  slots?: number
  /** Directory of language files for OCR, created if missing. Without it, no document is read with OCR. */
  ocrLanguages?: string
  limits?: Partial<DocumentLimits>
}): DocumentReader {
  const bounds = { ...defaultLimits, ...limits }
  const closing = new AbortController()
  const quick = createParserProcesses(spawn, bounds, slots, spareSlots)
  // Only one, because Tesseract keeps a core busy while it reads.
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
    {
      signal,
      person,
      onNote,
      ocr = false,
      onScans,
      wantsPictures = false,
      onProperties,
      onReaders,
    }: ReadOptions = {},
  ): AsyncGenerator<Block, void, undefined> {
    const stop = eitherSignal(signal, closing.signal)
    using slot = await (ocr ? slow : quick).acquire(stop, person)
    if (ocr && ocrLanguages !== undefined) await prepareLanguages(ocrLanguages)
    const connection = slot.connect()
    using lent = await connection.lend(input)
    let remainingMs = ocr ? bounds.ocrLongestMs : bounds.timeoutMs
    let finished = false
    let characters = 0
    try {
      connection.send({
        type: "read",
        input: lent.input,
        maxCharacters: bounds.characters,
        ocrLanguages: (ocr ? ocrLanguages : undefined) ?? null,
        leaveScans: onScans !== undefined,
        wantsPictures: wantsPictures && onScans !== undefined,
        processorMs: bounds.processorMs,
      })
      while (!finished) {
        const asked = performance.now()
        const reply = await connection.receive(Math.min(remainingMs, bounds.timeoutMs), stop)
        remainingMs -= performance.now() - asked
        for (const note of reply.notes) onNote?.(note)
        if (reply.type === "fault") {
          logger.error({ document: input.name, fault: reply.message }, "a parser failed")
          throw failure("parser_failed")
        }
        if (reply.type === "recognising") continue
        finished = reply.type !== "batch" || reply.done
        if ("readers" in reply && reply.readers !== undefined) onReaders?.(reply.readers)
        if (reply.type === "failure")
          throw new ParseFailure(reply.reason, reply.outcome, reply.transientCause)
        if (reply.type === "ocr-needed") throw ocr ? createNoOcrFailure() : new OcrNeeded()
        if (reply.type !== "batch") throw new Error(`The parser answered ${reply.type} to a document.`)
        characters += reply.blocks.reduce((sum, { text }) => sum + text.length, 0)
        // The parser counts characters itself, unless a document has taken control of it.
        if (characters > bounds.characters) throw failure("parser_crashed")
        if (!reply.done) connection.send({ type: "next" })
        if (reply.scans && hasScans(reply.scans)) onScans?.(reply.scans)
        if (reply.properties) onProperties?.(reply.properties)
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

/** Whether anything of a document was left for OCR. */
export const hasScans = ({ scans, pictures = [] }: ScannedPages): boolean =>
  scans.length > 0 || pictures.length > 0

function createNoOcrFailure(): ParseFailure {
  return skipped("no_ocr")
}

/** Yields the blocks of a document given as bytes, which are stored in a temporary file. Throws like the reader's `read`. */
export async function* readBytes(
  reader: Pick<DocumentReader, "read">,
  { bytes, name, ...input }: { bytes: Buffer } & Pick<ParserInput, "name" | "article">,
  signal: AbortSignal,
): AsyncGenerator<Block, void, undefined> {
  const directory = makeTemporaryDirectory("casella-page-")
  try {
    const path = join(directory, name)
    await writeFile(path, bytes)
    yield* reader.read({ path, name, ...input }, { signal })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
