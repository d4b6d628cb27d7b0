import { z } from "zod"

/** Error codes of the auth service, with the HTTP status of each. */
export const serviceErrorStatus = {
  INVALID_JSON: 400,
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  QUOTA_EXCEEDED: 429,
  RETRY_REQUEST: 429,
  INTERNAL_ERROR: 500,
} as const satisfies Record<string, number>

export type ServiceErrorCode = keyof typeof serviceErrorStatus

/** An invalid field; `path` is dotted, such as `uiLogs.3.message`, and empty for the body itself. */
export const ServiceIssue = z.object({
  path: z.string().describe("Path of the field, such as `uiLogs.3.message`; empty for the body itself."),
  message: z.string().describe("What is wrong with it, in a sentence for people."),
})
export type ServiceIssue = z.infer<typeof ServiceIssue>

/** Error body of every endpoint of the auth service. */
export const ServiceErrorBody = z
  .object({
    error: z
      .object({
        code: z
          .enum(Object.keys(serviceErrorStatus) as [ServiceErrorCode, ...ServiceErrorCode[]])
          .describe("Error code for programs."),
        message: z.string().describe("What happened, in a sentence for people."),
        issues: z
          .array(ServiceIssue)
          .optional()
          .describe("Fields that are wrong. Only for `VALIDATION_ERROR`."),
      })
      .describe("The error."),
  })
  .meta({ id: "ServiceError", description: "An error of the auth service." })
export type ServiceErrorBody = z.infer<typeof ServiceErrorBody>

export interface ServiceErrorOptions {
  cause?: unknown
  issues?: ServiceIssue[]
  /** When a retry may succeed; sent as `Retry-After`. */
  retryAfterSeconds?: number
}

/** The auth service's only error type. `message` is a sentence for people, without paths, SQL or stack traces. */
export class ServiceError extends Error {
  override readonly name = "ServiceError"
  readonly code: ServiceErrorCode
  readonly issues: ServiceIssue[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ServiceErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.issues = options.issues
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return serviceErrorStatus[this.code]
  }

  toBody(): ServiceErrorBody {
    const { code, message, issues } = this
    return { error: { code, message, ...(issues === undefined ? {} : { issues }) } }
  }
}
