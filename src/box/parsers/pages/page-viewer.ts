import { AppError } from "../../../shared/contract/errors.ts"
import { reasonText } from "../../../shared/contract/file-reasons.ts"
import type { SpawnChild } from "../../core/child.ts"
import type { Logger } from "../../core/logger.ts"
import type { ParserInput } from "../parser.ts"
import type { ParserReply, ParserRequest } from "../parser-protocol.ts"
import { ParserSlot } from "../parser-slot.ts"
import { createPool } from "../pool.ts"
import type { PagePicture, PageSize } from "./page-pictures.ts"

/** Draws pages of documents, in a process of its own: nobody who looks at a page waits for files that are indexed. */
export interface PageViewer extends AsyncDisposable {
  /** Throws `unsupported_media_type` for files without pages, `unprocessable` with the reason for damaged ones. */
  sizes(input: ParserInput, signal: AbortSignal): Promise<PageSize[]>
  /** The page counted from 1, drawn at most `width` pixels wide. Throws as `sizes`, and for pages that aren't there. */
  picture(input: ParserInput, number: number, width: number, signal: AbortSignal): Promise<PagePicture>
}

const limits = {
  memoryBytes: 2 ** 30,
  heapMegabytes: 512,
  documentsPerProcess: 500,
  idleMs: 30_000,
}
/** Time for one page, in ms. */
const limitMs = 20_000

export function createPageViewer({ spawn, logger }: { spawn: SpawnChild; logger: Logger }): PageViewer {
  const pool = createPool([new ParserSlot(spawn, limits)])

  async function ask(request: ParserRequest, name: string, signal: AbortSignal): Promise<ParserReply> {
    const slot = await pool.acquire(signal)
    try {
      const connection = slot.connect()
      connection.send(request)
      try {
        return await connection.receive(limitMs, signal)
      } catch (error) {
        connection.kill() // it is still at work
        signal.throwIfAborted()
        logger.warn({ document: name, err: error }, "A page couldn't be drawn")
        throw new AppError("unprocessable", "This page couldn't be drawn: it is damaged or too intricate.")
      }
    } finally {
      slot.rest()
      pool.release(slot)
    }
  }

  function refuse(reply: ParserReply, name: string): AppError {
    if (reply.type === "failure") {
      return new AppError(
        reply.outcome === "skipped" ? "unsupported_media_type" : "unprocessable",
        reasonText(reply.reason),
      )
    }
    logger.error(
      { document: name, reply: reply.type === "fault" ? reply.message : reply.type },
      "a page failed",
    )
    return new AppError("unprocessable", "This page couldn't be drawn.")
  }

  return {
    async sizes(input, signal) {
      const reply = await ask({ type: "page-sizes", input }, input.name, signal)
      if (reply.type === "page-sizes") return reply.sizes
      throw refuse(reply, input.name)
    },
    async picture(input, number, width, signal) {
      const reply = await ask({ type: "page-picture", input, number, width }, input.name, signal)
      if (reply.type === "page-picture") return reply.picture
      throw refuse(reply, input.name)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pool.members.map((slot) => slot[Symbol.asyncDispose]()))
    },
  }
}
