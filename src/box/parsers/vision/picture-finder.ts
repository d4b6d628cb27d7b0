import type { SpawnChild } from "../../core/children/child.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { failure, ParseFailure, type ParserInput } from "../parser.ts"
import { createParserProcesses } from "../process/parser-processes.ts"
import type { ParserReply } from "../process/parser-protocol.ts"
import type { PreparedPicture } from "./prepare-picture.ts"

const limits = { memoryBytes: 2 ** 30, heapMegabytes: 512, documentsPerProcess: 200, idleMs: 10_000 }
/** Timeout for one picture, in ms. Its document is opened first. */
const limitMs = 60_000

/** Finds pictures in documents and prepares them for models, in a separate process. */
export interface PictureFinder extends AsyncDisposable {
  /** Returns the picture that `input.scan` names. Throws `ParseFailure` if it can't be shown to a model. */
  find(input: ParserInput, signal: AbortSignal): Promise<PreparedPicture>
}

export function createPictureFinder({ spawn, logger }: { spawn: SpawnChild; logger: Logger }): PictureFinder {
  const processes = createParserProcesses(spawn, limits, 1)

  /** Ends the process unless it has answered, because a document may have brought it into any state. */
  async function ask(input: ParserInput, signal: AbortSignal): Promise<ParserReply> {
    using slot = await processes.acquire(signal)
    const connection = slot.connect()
    using lent = await connection.lend(input)
    let reply: ParserReply | undefined
    try {
      connection.send({ type: "shown-picture", input: lent.input })
      return (reply = await connection.receive(limitMs, signal))
    } finally {
      if (reply?.type !== "prepared-picture") connection.kill()
    }
  }

  return {
    async find(input, signal) {
      const reply = await ask(input, signal)
      if (reply.type === "prepared-picture") return reply.picture
      if (reply.type === "failure") throw new ParseFailure(reply.reason, reply.outcome, reply.transientCause)
      logger.error(
        { document: input.name, reply: reply.type === "fault" ? reply.message : reply.type },
        "a picture failed",
      )
      throw failure("picture_undecodable")
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  }
}
