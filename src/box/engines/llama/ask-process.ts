import { AppError } from "../../../shared/contract/errors.ts"
import type { AboutRequest, ModelProcess } from "./model-process.ts"
import type { ToEngine } from "./protocol.ts"

/** Sends a question that has one answer, and waits for it. Throws AppError when there is none. */
export async function askProcess<Answer extends "prepared" | "counted" | "embedded" | "ranked">(
  process: ModelProcess,
  question: Extract<ToEngine, { id: number }>,
  answer: Answer,
): Promise<Extract<AboutRequest, { type: Answer }>> {
  const settled = Promise.withResolvers<Extract<AboutRequest, { type: Answer }>>()
  const close = process.open(question, {
    onMessage(message) {
      if (message.type === answer) settled.resolve(message as Extract<AboutRequest, { type: Answer }>)
      else settled.reject(toError(message))
    },
    onGone: settled.reject,
  })
  return settled.promise.finally(close)
}

/** What a message means that was not the answer. */
export function toError(message: AboutRequest): AppError {
  if (message.type !== "failed") return new AppError("internal", "The model process answered something else.")
  if (message.code !== "internal")
    return new AppError(message.code, message.message, { details: message.details })
  return new AppError("internal", "The model could not answer.", { cause: new Error(message.message) })
}
