import { once } from "node:events"
import type { Request, Response } from "express"
import { z } from "zod"
import { checkAnswer } from "../../../serve/check-answer.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { toAppError } from "../error-response.ts"
import { nextTurn } from "./next-turn.ts"
import { untilClosed } from "./until-closed.ts"
import { waitsForClient } from "./unsent-answers.ts"

/** The JSON of frozen values that were answered before, with what they were checked by. */
const ready = new WeakMap<object, { schema: z.ZodType; bytes: Buffer }>()

/**
 * Answers with the JSON of a value as a schema checks it; of a frozen one, which stays as it is, that is made once. Throws before
 * anything is sent, or as `sendPieces` does.
 */
export async function sendJson(
  request: Request,
  response: Response,
  { schema, value }: { schema: z.ZodType; value: unknown },
  logger: Logger,
): Promise<void> {
  if (isLazy(value) || holdsLazy(value)) {
    await sendPieces(request, response, jsonPieces(schema, value), logger)
    return
  }
  sendWhole(response, isFrozen(value) ? readyBytes(schema, value) : bytesOf(schema, value))
}

/** As bytes: Node would join a text with the head and convert it after that, which takes longer. */
const bytesOf = (schema: z.ZodType, value: unknown): Buffer =>
  Buffer.from(JSON.stringify(checkAnswer(schema, value)))

const isFrozen = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.isFrozen(value)

function readyBytes(schema: z.ZodType, value: object): Buffer {
  const known = ready.get(value)
  if (known?.schema === schema) return known.bytes
  const bytes = bytesOf(schema, value)
  ready.set(value, { schema, bytes })
  return bytes
}

function sendWhole(response: Response, bytes: Buffer): void {
  if (!response.headersSent) response.setHeader("content-length", bytes.length)
  response.end(bytes)
}

/** Characters that are written at once; a shorter answer is one piece. */
const pieceLength = 65_536

/** The JSON of a value as a schema checks it, whose lists may come one element after another. Throws what its parts throw. */
export async function* jsonPieces(schema: z.ZodType, value: unknown): AsyncGenerator<string, void> {
  if (schema instanceof z.ZodArray && isLazy(value)) {
    const each = schema.element as z.ZodType
    let mark = "["
    for await (const element of value) {
      yield `${mark}${JSON.stringify(checkAnswer(each, element))}`
      mark = ","
    }
    yield mark === "[" ? "[]" : "]"
  } else if (schema instanceof z.ZodObject && holdsLazy(value)) {
    let mark = "{"
    for (const [key, field] of Object.entries<z.ZodType>(schema.shape)) {
      const held = value[key]
      if (held === undefined && field.safeParse(held).success) continue
      yield `${mark}${JSON.stringify(key)}:`
      yield* jsonPieces(field, held)
      mark = ","
    }
    yield "}"
  } else yield JSON.stringify(checkAnswer(schema, value))
}

const isLazy = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value

const holdsLazy = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).some((held) => isLazy(held) || holdsLazy(held))

/**
 * Answers with a text that is made as the client takes it. Settles once all of it is made, or the client lets wait for the
 * first time; what fails later cuts the connection, since the answer has begun.
 */
export function sendPieces(
  request: Request,
  response: Response,
  pieces: AsyncIterable<string>,
  logger: Logger,
): Promise<void> {
  const closed = untilClosed(request)
  return new Promise((resolve, reject) => {
    const untilDrained = async () => {
      response.emit(waitsForClient)
      resolve()
      if (response.writableNeedDrain) await once(response, "drain", { signal: closed })
    }
    const send = async () => {
      let text = ""
      for await (const piece of pieces) {
        if (text.length >= pieceLength) {
          const isTaken = response.write(text)
          text = "" // the connection has its own copy
          if (!isTaken) await untilDrained()
          await nextTurn()
          closed.throwIfAborted()
        }
        text += piece
      }
      sendWhole(response, Buffer.from(text))
    }
    send().then(resolve, (error: unknown) => {
      if (!response.headersSent) {
        reject(error)
        return
      }
      if (!closed.aborted) toAppError(error, logger) // logs a fault of ours
      response.destroy()
      resolve()
    })
  })
}
