import type { Dispatcher } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Noted } from "./connection-record.ts"

/** Counts the bytes that a request sends and receives, before encryption and in compressed form, and reports its outcome. */
export function countRequest(
  noted: Noted,
  { method, path, headers }: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Dispatcher.DispatchHandler {
  let answered = false
  return {
    onRequestStart(controller, context) {
      noted.sent(`${method} ${path} HTTP/1.1\r\n\r\n`.length + sizeOfHeaders(headers))
      handler.onRequestStart?.(controller, context)
    },
    onBodySent(chunk) {
      noted.sent(chunk.length)
      handler.onBodySent?.(chunk)
    },
    onRequestSent: () => handler.onRequestSent?.(),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
    onResponseStart(controller, status, answeredHeaders, message) {
      answered = true
      noted.received(sizeOfHeaders(answeredHeaders))
      handler.onResponseStart?.(controller, status, answeredHeaders, message)
    },
    onResponseData(controller, chunk) {
      noted.received(chunk.length)
      handler.onResponseData?.(controller, chunk)
    },
    onResponseEnd(controller, trailers) {
      noted.end("ok")
      handler.onResponseEnd?.(controller, trailers)
    },
    onResponseError(controller, error) {
      noted.end(getOutcome(error, answered))
      handler.onResponseError?.(controller, error)
    },
  }
}

/** A caller that stops reading a response early isn't a failure; an unsafe address was never connected to. */
function getOutcome(error: Error & { code?: unknown }, answered: boolean): "ok" | "refused" | "failed" {
  const { code } = error
  if (answered) return typeof code === "string" ? "failed" : "ok"
  return error instanceof AppError && code === "forbidden_address" ? "refused" : "failed"
}

/** Counts `name: value` and the line end of each header. */
function sizeOfHeaders(headers: Dispatcher.DispatchOptions["headers"]): number {
  let size = 0
  for (const part of headerParts(headers)) size += Buffer.byteLength(String(part)) + 2
  return size
}

function headerParts(headers: Dispatcher.DispatchOptions["headers"]): unknown[] {
  if (headers === null || headers === undefined) return []
  if (Array.isArray(headers)) return headers
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  return entries.flat(2)
}
