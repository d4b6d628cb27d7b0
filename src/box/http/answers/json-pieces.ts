import { once } from "node:events"
import type { Request, Response } from "express"
import { z } from "zod"
import { checkAnswer } from "../../../serve/serve.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { toAppError } from "../error-response.ts"
import { nextTurn, createCloseSignal, waitsForClient } from "./answer-limits.ts"

/** The JSON of frozen values that were sent before, with the schema that checked them. */
const ready = new WeakMap<object, { schema: z.ZodType; bytes: Buffer }>()

/**
 * Sends the JSON of a value after checking it against a schema. The JSON of a frozen value is created once. Throws before anything is sent,
 * or like `sendPieces`.
 */
export async function sendJson(
  request: Request,
  response: Response,
  { schema, value }: { schema: z.ZodType; value: unknown },
  logger: Logger,
): Promise<void> {
  if (isLazy(value) || hasLazy(value)) {
    await sendPieces(request, response, jsonPieces(schema, value), logger)
    return
  }
  sendWhole(response, isFrozen(value) ? readyBytes(schema, value) : getBytes(schema, value))
}

/** Bytes are faster than text, which Node would join with the head and then convert. */
const getBytes = (schema: z.ZodType, value: unknown): Buffer =>
  Buffer.from(JSON.stringify(checkAnswer(schema, value)))

const isFrozen = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.isFrozen(value)

function readyBytes(schema: z.ZodType, value: object): Buffer {
  const known = ready.get(value)
  if (known?.schema === schema) return known.bytes
  const bytes = getBytes(schema, value)
  ready.set(value, { schema, bytes })
  return bytes
}

function sendWhole(response: Response, bytes: Buffer): void {
  if (!response.headersSent) response.setHeader("content-length", bytes.length)
  response.end(bytes)
}

/** Minimum number of characters written at once. Shorter answers are sent in one piece. */
const pieceLength = 65_536

/**
 * Yields the JSON of a value after checking it against a schema. Its lists may arrive one element at a time. Throws what its parts throw.
 */
export async function* jsonPieces(schema: z.ZodType, value: unknown): AsyncGenerator<string, void> {
  if (schema instanceof z.ZodArray && isLazy(value)) {
    const each = schema.element as z.ZodType
    let mark = "["
    for await (const element of value) {
      yield `${mark}${JSON.stringify(checkAnswer(each, element))}`
      mark = ","
    }
    yield mark === "[" ? "[]" : "]"
  } else if (schema instanceof z.ZodObject && hasLazy(value)) {
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

const hasLazy = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).some((held) => isLazy(held) || hasLazy(held))

/**
 * Sends text that is generated as the client reads it. Resolves when all of it is generated or when the client first stops reading. A later
 * failure closes the connection, because the answer has already started.
 */
export function sendPieces(
  request: Request,
  response: Response,
  pieces: AsyncIterable<string>,
  logger: Logger,
): Promise<void> {
  const closed = createCloseSignal(request)
  return new Promise((resolve, reject) => {
    const waitForDrain = async () => {
      response.emit(waitsForClient)
      resolve()
      if (response.writableNeedDrain) await once(response, "drain", { signal: closed })
    }
    const send = async () => {
      let text = ""
      for await (const piece of pieces) {
        if (text.length >= pieceLength) {
          const isTaken = response.write(text)
          text = "" // The connection has its own copy.
          if (!isTaken) await waitForDrain()
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
      if (!closed.aborted) toAppError(error, logger) // Logs internal errors.
      response.destroy()
      resolve()
    })
  })
}
