import type { Sentence } from "../sentences/sentence.ts"
import type { SentenceBody } from "./sentence.ts"

/** Machine-readable error codes of the box, with the HTTP status of each. */
export const errorStatus = {
  invalid_json: 400,
  validation: 400,
  unsupported_content: 400,
  forbidden_address: 400,
  unauthorized: 401,
  forbidden: 403,
  local_only: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  handle_taken: 409,
  chat_busy: 409,
  queue_full: 409,
  quota_full: 409,
  assistant_disabled: 409,
  other_session: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  upgrade_required: 426,
  unprocessable: 422,
  unsupported_type: 422,
  file_too_large: 422,
  too_much_to_read: 422,
  rate_limited: 429,
  quota_exceeded: 429,
  internal: 500,
  engine_crashed: 500,
  no_model: 503,
  unavailable: 503,
  disk_full: 507,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof errorStatus

/** An error as it is sent; `ErrorBody` in `errors.ts` describes and checks it. */
interface ErrorFields {
  error: string
  code: ErrorCode
  sentence?: SentenceBody | undefined
  details?: unknown
}

/**
 * Casella's only error type. Services throw it, the HTTP layer maps it to a response, streams send the same envelope, and the client
 * rebuilds it. Its message is an English sentence without paths, SQL or stack traces.
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

  toBody(): ErrorFields {
    return {
      error: this.message,
      code: this.code,
      ...this.sentence.field,
      ...(this.details === undefined ? {} : { details: this.details }),
    }
  }
}
