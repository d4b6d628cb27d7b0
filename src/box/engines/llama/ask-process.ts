import { AppError } from "../../../shared/contract/errors.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { unlessAborted } from "../../core/waiting/abort-and-timeout.ts"
import type { AboutRequest, ModelProcess } from "./model-process.ts"
import type { ToEngine } from "./protocol.ts"

/**
 * Sends a request that has one response, and waits for it. Throws AppError if there is none, or the signal's reason if that comes first.
 * The process keeps working on the request in any case, and is watched until it has responded.
 */
export async function askProcess<Answer extends "prepared" | "counted" | "embedded" | "ranked">(
  process: ModelProcess,
  question: Extract<ToEngine, { id: number }>,
  answer: Answer,
  signal?: AbortSignal,
): Promise<Extract<AboutRequest, { type: Answer }>> {
  const settled = Promise.withResolvers<Extract<AboutRequest, { type: Answer }>>()
  const close = process.open(question, {
    onMessage(message) {
      if (message.type === answer) settled.resolve(message as Extract<AboutRequest, { type: Answer }>)
      else settled.reject(toError(message))
    },
    onLost: settled.reject,
  })
  return unlessAborted(settled.promise.finally(close), signal)
}

/** Converts a message that isn't the expected response into an error. */
export function toError(message: AboutRequest): AppError {
  if (message.type !== "failed") return new AppError("internal", sentence("llama.answered_otherwise"))
  if (message.code !== "internal")
    return new AppError(message.code, Sentence.asIs(message.message, message.sentence), {
      details: message.details,
    })
  return new AppError("internal", sentence("llama.could_not_answer"), { cause: new Error(message.message) })
}
