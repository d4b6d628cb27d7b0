import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { reasonSentence } from "../../../shared/contract/file-reasons.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { ParseFailure, type ParserInput } from "../parser.ts"
import type { ParserReply, ParserRequest } from "../process/parser-protocol.ts"
import { createParserProcesses } from "../process/parser-processes.ts"
import type { PagePicture, PageSize } from "./page-pictures.ts"

/** Renders pages of documents in a separate process, so that no one who views a page waits for files being indexed. */
export interface PageViewer extends AsyncDisposable {
  /** Throws `unsupported_media_type` for files without pages, `unprocessable` with the reason for damaged ones. */
  sizes(input: ParserInput, signal: AbortSignal): Promise<PageSize[]>
  /** Returns a page, counted from 1, at most `width` pixels wide. Throws like `sizes`, and for pages that don't exist. */
  picture(input: ParserInput, number: number, width: number, signal: AbortSignal): Promise<PagePicture>
}

const limits = {
  memoryBytes: 2 ** 30,
  heapMegabytes: 512,
  documentsPerProcess: 500,
  idleMs: 30_000,
}
/** Timeout for one page, in ms. */
const limitMs = 20_000

export function createPageViewer({ spawn, logger }: { spawn: SpawnChild; logger: Logger }): PageViewer {
  const processes = createParserProcesses(spawn, limits, 1)

  async function askOnce(
    input: ParserInput,
    about: (input: ParserInput) => ParserRequest,
    signal: AbortSignal,
  ): Promise<ParserReply> {
    using slot = await processes.acquire(signal)
    const connection = slot.connect()
    using lent = await connection.lend(input)
    connection.send(about(lent.input))
    try {
      return await connection.receive(limitMs, signal)
    } catch (error) {
      connection.kill() // It is still working.
      throw error
    }
  }

  /** Retries once if the process died. */
  async function ask(...question: Parameters<typeof askOnce>): Promise<ParserReply> {
    const [input, , signal] = question
    try {
      return await askOnce(...question).catch((error: unknown) => {
        if (!hasDied(error)) throw error
        return askOnce(...question)
      })
    } catch (error) {
      signal.throwIfAborted()
      logger.warn({ document: input.name, err: error }, "A page couldn't be drawn")
      if (hasDied(error)) throw new AppError("unavailable", sentence("files.viewer_ended"))
      throw new AppError("unprocessable", sentence("files.page_not_drawn_damaged"))
    }
  }

  function refuse(reply: ParserReply, name: string): AppError {
    if (reply.type === "failure") {
      return new AppError(
        reply.outcome === "skipped" ? "unsupported_media_type" : "unprocessable",
        reasonSentence(reply.reason),
      )
    }
    logger.error(
      { document: name, reply: reply.type === "fault" ? reply.message : reply.type },
      "a page failed",
    )
    return new AppError("unprocessable", sentence("files.page_not_drawn"))
  }

  return {
    async sizes(input, signal) {
      const reply = await ask(input, (lent) => ({ type: "page-sizes", input: lent }), signal)
      if (reply.type === "page-sizes") return reply.sizes
      throw refuse(reply, input.name)
    },
    async picture(input, number, width, signal) {
      const reply = await ask(input, (lent) => ({ type: "page-picture", input: lent, number, width }), signal)
      if (reply.type === "page-picture") return reply.picture
      throw refuse(reply, input.name)
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  }
}

/** Whether the process crashed or was ended from outside. */
const hasDied = (error: unknown) => error instanceof ParseFailure && error.transientCause === "died"
