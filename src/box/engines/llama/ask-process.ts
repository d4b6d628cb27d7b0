import { AppError } from "../../../shared/contract/errors.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { unlessAborted } from "../../core/waiting/abort.ts"
import type { AboutRequest, ModelProcess } from "./model-process.ts"
import type { ToEngine } from "./protocol.ts"

/**
 * Sends a question that has one answer, and waits for it. Throws AppError when there is none, and the signal's reason
 * when that comes first: the process is at work nevertheless, and looked after until it has answered.
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
    onGone: settled.reject,
  })
  return unlessAborted(settled.promise.finally(close), signal)
}

/** What a message means that was not the answer. */
export function toError(message: AboutRequest): AppError {
  if (message.type !== "failed") return new AppError("internal", sentence("llama.answered_otherwise"))
  if (message.code !== "internal")
    return new AppError(message.code, Sentence.asIs(message.message, message.sentence), {
      details: message.details,
    })
  return new AppError("internal", sentence("llama.could_not_answer"), { cause: new Error(message.message) })
}
