import { createHash } from "node:crypto"
import { AppError } from "../../../shared/contract/errors.ts"
import { reasonSentence } from "../../../shared/contract/file-reasons.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { ParseFailure } from "../parser.ts"
import { createParserProcesses } from "../process/parser-processes.ts"
import type { ParserReply } from "../process/parser-protocol.ts"
import type { PreparedPicture } from "./prepare-picture.ts"

const largest = 20 * 2 ** 20

/** Throws `unsupported_content` for a file that exceeds the maximum size of an image for a model. */
export function requirePictureSize(bytes: number): void {
  if (bytes <= largest) return
  throw new AppError("unsupported_content", sentence("pictures.too_large", { count: largest >> 20 }))
}

/** Maximum bytes of images kept, and how long after the last use of any image, in ms. */
const most = { bytes: 16 * 2 ** 20, idleMs: 10 * 60_000 }

/** Caches recently prepared images, because a chat sends the images of its earlier messages again with each question. */
function createRecentPictures() {
  const pictures = new Map<string, PreparedPicture>()
  let bytes = 0
  let ending: NodeJS.Timeout | undefined

  function keep(key: string, picture: PreparedPicture): void {
    pictures.delete(key)
    pictures.set(key, picture)
    clearTimeout(ending)
    ending = setTimeout(() => {
      pictures.clear()
      bytes = 0
    }, most.idleMs).unref()
  }

  return {
    get(key: string): PreparedPicture | undefined {
      const known = pictures.get(key)
      if (known) keep(key, known)
      return known
    },
    add(key: string, picture: PreparedPicture): void {
      if (!pictures.has(key)) bytes += picture.bytes.byteLength
      keep(key, picture)
      for (const [oldest, { bytes: room }] of pictures) {
        if (bytes <= most.bytes) break
        pictures.delete(oldest)
        bytes -= room.byteLength
      }
    },
  }
}

/** Prepares images for vision models, in a separate process. */
export interface PicturePreparer extends AsyncDisposable {
  /** Throws `unsupported_content` with the problem of the image, and `unavailable`. */
  prepare(file: Uint8Array, signal: AbortSignal): Promise<PreparedPicture>
}

const limits = { memoryBytes: 2 ** 30, heapMegabytes: 512, documentsPerProcess: 500, idleMs: 10_000 }
/** Timeout for one image, in ms. */
const limitMs = 30_000

export function createPicturePreparer({
  spawn,
  logger,
}: {
  spawn: SpawnChild
  logger: Logger
}): PicturePreparer {
  const processes = createParserProcesses(spawn, limits, 1)
  const recent = createRecentPictures()

  /** Ends the process if decoding fails, because it may then be in any state. */
  async function ask(bytes: Uint8Array, signal: AbortSignal): Promise<ParserReply> {
    using slot = await processes.acquire(signal)
    const connection = slot.connect()
    let reply: ParserReply | undefined
    try {
      connection.send({ type: "prepare-picture", bytes })
      return (reply = await connection.receive(limitMs, signal))
    } finally {
      if (!isSound(reply)) connection.kill()
    }
  }

  /** Retries once if the process ended: earlier images may have used too much memory, or it was ended from outside. */
  const askPatiently = (bytes: Uint8Array, signal: AbortSignal): Promise<ParserReply> =>
    ask(bytes, signal).catch((error: unknown) => {
      if (error instanceof ParseFailure && isOfProcess(error)) return ask(bytes, signal)
      throw error
    })

  async function make(bytes: Uint8Array, signal: AbortSignal): Promise<PreparedPicture> {
    const reply = await askPatiently(bytes, signal).catch((error: unknown) => {
      if (!(error instanceof ParseFailure)) throw error
      if (error.transientCause === "died") throw new AppError("unavailable", sentence("pictures.ended"))
      throw unsupported(error)
    })
    if (reply.type === "prepared-picture") return reply.picture
    if (reply.type === "failure") throw unsupported(reply)
    logger.error({ reply: reply.type === "fault" ? reply.message : reply.type }, "a picture failed")
    throw new AppError("unsupported_content", reasonSentence({ code: "picture_undecodable" }))
  }

  return {
    async prepare(file, signal) {
      requirePictureSize(file.byteLength)
      const key = createHash("sha256").update(file).digest("base64")
      const known = recent.get(key)
      if (known) return known
      const picture = await make(file, signal)
      recent.add(key, picture)
      return picture
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  }
}

const isOfProcess = ({ transientCause, reason }: ParseFailure) =>
  transientCause === "died" || reason.code === "memory_exceeded"

const isSound = (reply: ParserReply | undefined) =>
  reply?.type === "prepared-picture" ||
  (reply?.type === "failure" && reply.reason.code !== "picture_undecodable")

const unsupported = ({ reason }: Pick<ParseFailure, "reason">) =>
  new AppError("unsupported_content", reasonSentence(reason))
