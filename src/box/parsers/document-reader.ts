import { AppError } from "../../shared/contract/errors.ts"
import type { SpawnChild } from "../core/child.ts"
import type { Logger } from "../core/logger.ts"
import { ParseFailure } from "./parser.ts"
import type { Block, ParserInput } from "./parser.ts"
import { ParserSlot } from "./parser-slot.ts"
import type { SlotLimits } from "./parser-slot.ts"
import { createPool } from "./pool.ts"
import { formatOfName } from "./registry.ts"

export interface DocumentLimits extends SlotLimits {
  /** Time that one document may take, in ms. Time in which nobody wants its next blocks doesn't count. */
  timeMs: number
  /** Characters of text that are read of one document; the rest is left out with a note. */
  characters: number
}

const defaultLimits: DocumentLimits = {
  timeMs: 60_000,
  characters: 64_000_000,
  memoryBytes: 2 ** 30,
  heapMegabytes: 512,
  documentsPerProcess: 2000,
  idleMs: 10_000,
}

export interface ReadOptions {
  /** Ends the reading with the signal's reason. */
  signal?: AbortSignal
  /** Gets a sentence for everything that was left out or repaired. */
  onNote?: (sentence: string) => void
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
  limits?: Partial<DocumentLimits>
}

/** Reads documents in a few child processes that start when needed, are reused, and end when idle. */
export function createDocumentReader({
  spawn,
  logger,
  slots = 2,
  limits,
}: DocumentReaderDeps): DocumentReader {
  const bounds = { ...defaultLimits, ...limits }
  const closing = new AbortController()
  const pool = createPool(Array.from({ length: slots }, () => new ParserSlot(spawn, bounds)))

  async function* read(
    input: ParserInput,
    { signal, onNote }: ReadOptions = {},
  ): AsyncGenerator<Block, void, undefined> {
    const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
    const slot = await pool.acquire(stop)
    try {
      const connection = slot.connect()
      let remainingMs = formatOfName(input.name)?.timeLimitMs ?? bounds.timeMs
      let finished = false
      try {
        connection.send({ type: "read", input, maxCharacters: bounds.characters })
        while (!finished) {
          const asked = performance.now()
          const reply = await connection.receive(remainingMs, stop)
          remainingMs -= performance.now() - asked
          for (const note of reply.notes) onNote?.(note)
          if (reply.type === "fault") {
            logger.error({ document: input.name, fault: reply.message }, "a parser failed")
            throw new ParseFailure(
              "Reading this file failed because of a fault in the program, or damage to the file.",
            )
          }
          finished = reply.type === "failure" || reply.done
          if (reply.type === "failure") throw new ParseFailure(reply.message, reply.outcome)
          if (!reply.done) connection.send({ type: "next" })
          yield* reply.blocks
        }
      } finally {
        if (!finished) connection.kill()
      }
    } finally {
      slot.rest()
      pool.release(slot)
    }
  }

  return {
    read,
    async [Symbol.asyncDispose]() {
      closing.abort(new AppError("unavailable", "The box is shutting down."))
      await Promise.all(pool.members.map((slot) => slot[Symbol.asyncDispose]()))
    },
  }
}
