import { z } from "zod"
import type { Sentence } from "../sentences/sentence.ts"
import { SentenceBody } from "./sentence.ts"

/** Machine-readable error codes of the box and the HTTP status each one travels with (decisions.md 4). */
export const errorStatus = {
  invalid_json: 400,
  validation: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  handle_taken: 409,
  chat_busy: 409,
  queue_full: 409,
  assistant_disabled: 409,
  other_session: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  upgrade_required: 426,
  unprocessable: 422,
  unsupported_type: 422,
  file_too_large: 422,
  rate_limited: 429,
  internal: 500,
  engine_crashed: 500,
  no_model: 503,
  unavailable: 503,
  disk_full: 507,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof errorStatus

export const ErrorCode = z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]])

/** One invalid field of a request body or query. */
export const FieldIssue = z.object({
  field: z.string(),
  message: z.string(),
  sentence: SentenceBody.optional(),
})
export type FieldIssue = z.infer<typeof FieldIssue>

/** Error body of every box endpoint except `/api/v1/*`, which uses the OpenAI envelope. */
export const ErrorBody = z
  .object({
    error: z.string(),
    code: ErrorCode,
    sentence: SentenceBody.optional(),
    details: z.unknown().optional(),
  })
  .meta({ id: "Error" })
export type ErrorBody = z.infer<typeof ErrorBody>

/** Error body of `/api/v1/*`: OpenAI's envelope. */
export const OpenAiErrorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.string().nullable(),
      param: z.string().nullable(),
    }),
  })
  .meta({ id: "OpenAiError" })
export type OpenAiErrorBody = z.infer<typeof OpenAiErrorBody>

/**
 * The one error type of Casella. Services throw it, the HTTP layer maps it to a response, streams send the same
 * envelope, and the client rebuilds it. Its message is its sentence in English: no paths, SQL or stack traces.
 */
export class AppError extends Error {
  override readonly name = "AppError"
  readonly code: ErrorCode
  readonly sentence: Sentence
  readonly details: unknown

  constructor(code: ErrorCode, sentence: Sentence, options: { cause?: unknown; details?: unknown } = {}) {
    super(sentence.text, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.sentence = sentence
    this.details = options.details
  }

  get status(): number {
    return errorStatus[this.code]
  }

  toBody(): ErrorBody {
    return {
      error: this.message,
      code: this.code,
      ...this.sentence.field,
      ...(this.details === undefined ? {} : { details: this.details }),
    }
  }
}

/** A 400 that names the field to change. */
export function invalidField(field: string, sentence: Sentence): AppError {
  const issue: FieldIssue = { field, message: sentence.text, ...sentence.field }
  return new AppError("validation", sentence, { details: [issue] })
}
