import type { Response } from "express"
import { z } from "zod"
import {
  AppError,
  type AnthropicErrorBody,
  type ErrorCode,
  type FieldIssue,
  type OpenAiErrorBody,
} from "../../shared/contract/errors.ts"
import { mcpPath } from "../../shared/contract/mcp-server.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { isDiskFull, refusedAccess } from "../core/disk/disk-space.ts"
import type { Logger } from "../core/logging/logger.ts"
import { Sentence } from "../../shared/sentences/sentence.ts"
import { toFieldIssue } from "../../shared/contract/wrong.ts"

/** Converts anything thrown into an error that a client may see. Internal errors are logged with their cause. */
export function toAppError(error: unknown, logger: Logger): AppError {
  const known = fromKnown(error)
  if (known) {
    if (known.status >= 500 && known.cause !== undefined) logger.error({ err: known.cause }, known.message)
    return known
  }
  logger.error({ err: error }, "Unexpected error in a request")
  return new AppError("internal", sentence("http.box_failed"), { cause: error })
}

function fromKnown(error: unknown): AppError | null {
  if (error instanceof AppError) return error
  if (error instanceof z.ZodError) return validationError(error)
  if (!(error instanceof Error)) return null
  const { code, type } = error as Error & { code?: string; type?: string }
  if (isDiskFull(error)) {
    return new AppError("disk_full", sentence("http.disk_full"), { cause: error })
  }
  const refused = refusedAccess(error)
  if (refused !== null) return refused
  // Errors from Express's body reader and router.
  if (type === "entity.too.large") {
    const { limit } = error as Error & { limit?: number }
    return new AppError(
      "payload_too_large",
      limit === undefined
        ? sentence("http.body_too_large_by_far")
        : sentence("http.body_too_large", { size: Math.floor(limit / 1e6) }),
    )
  }
  if (type === "entity.parse.failed") return new AppError("invalid_json", sentence("http.body_not_json"))
  if (code !== undefined && /^(Z_|ZSTD_|ERR_BROTLI|ERR__ERROR)/.test(code)) {
    return new AppError("invalid_json", sentence("http.body_not_compressed"))
  }
  if (type === "encoding.unsupported" || type === "charset.unsupported") {
    return new AppError("unsupported_media_type", sentence("http.body_not_utf8"))
  }
  if (
    error instanceof URIError ||
    type?.startsWith("request.") === true ||
    type?.startsWith("entity.") === true
  ) {
    return new AppError("validation", sentence("http.malformed"))
  }
  return null
}

/** Creates the 400 error for a body or query that doesn't match its schema, and names each field. */
export function validationError(error: z.ZodError): AppError {
  const details = error.issues.map((issue) => toFieldIssue(issue.path.join("."), issue))
  const [first] = details
  const said = first ? Sentence.asIs(first.message, first.sentence) : ""
  const what = first && first.field !== "" ? sentence("http.field", { field: first.field, what: said }) : said
  return new AppError("validation", sentence("http.invalid", { what }), { details })
}

/** Seconds until a retry when the box has too much to do. Answers take seconds. */
const busySeconds = 5
/**
 * Seconds until a retry when something that the box needs doesn't respond. A standby server sends the same value while no server is active.
 */
const unavailableSeconds = 1

/** Returns the seconds after which a retry may succeed, or null if the error doesn't say. */
function retrySeconds({ code, status, details }: AppError): number | null {
  if (code === "unavailable") return unavailableSeconds
  if (status !== 429) return null
  if (code !== "quota_exceeded") return busySeconds
  const { resetsAt } = details as { resetsAt: string }
  return Math.max(1, Math.ceil((Date.parse(resetsAt) - Date.now()) / 1000))
}

/** Sends an error in the format of its path: OpenAI's or Anthropic's under `/api/v1`, JSON-RPC's at `/api/mcp`, the box's own elsewhere. */
export function sendError(response: Response, path: string, error: AppError): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const seconds = retrySeconds(error)
  if (seconds !== null) response.setHeader("retry-after", String(seconds))
  response.status(error.status).json(getEnvelope(path)(error))
}

/** Returns the format of errors at a path. */
export function getEnvelope(path: string): (error: AppError) => object {
  if (/^\/api\/v1\/messages(\/|$)/.test(path)) return toAnthropic
  if (/^\/api\/v1(\/|$)/.test(path)) return toOpenAi
  return path.replace(/\/$/, "") === mcpPath ? toJsonRpc : (error) => error.toBody()
}

const anthropicTypes: Record<number, string> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
}

/** Converts an error to Anthropic's format, with OpenAI's fields added. `param` is the first invalid field. */
export function toAnthropic(error: AppError): AnthropicErrorBody {
  const { message, code, param } = toOpenAi(error).error
  const type = anthropicTypes[error.status] ?? (error.status < 500 ? "invalid_request_error" : "api_error")
  return { type: "error", error: { type, message, code, param } }
}

/** JSON-RPC's standard codes. All other errors use a server error code. */
const jsonRpcCodes: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32_700,
  validation: -32_600,
  internal: -32_603,
}

/** JSON-RPC format for an error that doesn't answer a single message. */
const toJsonRpc = (error: AppError) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code: jsonRpcCodes[error.code] ?? -32_000, message: error.message, data: error.toBody() },
})

/** Codes whose details are a list of fields. */
const namesFields: ReadonlySet<ErrorCode> = new Set(["validation", "unsupported_content"])

/** Converts an error to OpenAI's format. `param` is the first invalid field. */
export function toOpenAi(error: AppError): OpenAiErrorBody {
  const issues = namesFields.has(error.code) ? (error.details as FieldIssue[] | undefined) : undefined
  const type =
    error.status === 401
      ? "authentication_error"
      : error.status === 429
        ? "rate_limit_error"
        : error.status < 500
          ? "invalid_request_error"
          : "server_error"
  return {
    error: { message: error.message, type, code: error.code, param: issues?.[0]?.field || null },
  }
}
