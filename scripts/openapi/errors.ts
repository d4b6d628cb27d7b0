import { z } from "zod"
import { getEnvelope } from "../../src/box/http/error-response.ts"
import { AppError, errorStatus, type ErrorCode } from "../../src/shared/contract/app-error.ts"
import type { Endpoint } from "../../src/shared/contract/endpoint.ts"
import { AnthropicErrorBody, ErrorBody, OpenAiErrorBody } from "../../src/shared/contract/errors.ts"
import { mcpPath } from "../../src/shared/contract/mcp-server.ts"
import {
  ServiceErrorBody,
  serviceErrorStatus,
  type ServiceErrorCode,
} from "../../src/shared/contract/service-errors.ts"
import { Sentence } from "../../src/shared/sentences/sentence.ts"

/** Paths with an id that answer without an error if it is unknown. */
const acceptsAnyId = new Set(["/api/ai/chat/:chatId/stop", "/api/ai/chat/:chatId/stream-status"])

const JsonRpcErrorBody = z
  .object({
    jsonrpc: z.literal("2.0").describe("Version of JSON-RPC, always `2.0`."),
    id: z.null().describe("Always null: the error belongs to the request as a whole."),
    error: z
      .object({
        code: z.int32().describe("Error code of JSON-RPC, such as -32600 for an invalid request."),
        message: z.string().describe("What happened, in a sentence for people."),
        data: ErrorBody.describe("The error as the other endpoints return it."),
      })
      .describe("The error."),
  })
  .meta({ id: "JsonRpcError", description: "An error at `/api/mcp`, in the format of JSON-RPC." })

/** How one of the servers reports errors. */
export interface ErrorsOfApi {
  /** Returns the codes below 500 that an endpoint can return, each once. */
  codes(endpoint: Endpoint): string[]
  status(code: string): number
  /** A code of 500 or above, for responses that are not listed. */
  unlisted: string
  meaning(code: string): string
  schema(endpoint: Endpoint): z.ZodType
  /** Distinguishes the names of responses whose errors have different schemas. */
  prefix(endpoint: Endpoint): string
  /** Returns a body with this code. */
  example(endpoint: Endpoint, code: string): object
}

const hasBody = (endpoint: Endpoint) => "body" in endpoint && endpoint.body !== undefined
const hasQuery = (endpoint: Endpoint) => Object.keys(endpoint.query?.shape ?? {}).length > 0
const hasParameter = (endpoint: Endpoint) => endpoint.path.includes(":")

export const serverErrors: ErrorsOfApi = {
  codes: (endpoint) => {
    const codes: ErrorCode[] = ["forbidden"]
    if (endpoint.access !== "public") codes.push("unauthorized", "rate_limited")
    if (hasQuery(endpoint)) codes.push("validation")
    if (hasParameter(endpoint) && !acceptsAnyId.has(endpoint.path)) codes.push("not_found")
    if (hasBody(endpoint))
      codes.push("invalid_json", "validation", "payload_too_large", "unsupported_media_type")
    if (endpoint.kind === "upload") codes.push("validation")
    return [...new Set<string>([...codes, ...(endpoint.errors ?? [])])].toSorted()
  },
  unlisted: "internal",
  status: (code) => errorStatus[code as ErrorCode],
  meaning: (code) => meanings[code as ErrorCode],
  schema: ({ path }) => {
    if (path.startsWith("/api/v1/messages")) return AnthropicErrorBody
    if (path === mcpPath) return JsonRpcErrorBody
    return path.startsWith("/api/v1/") ? OpenAiErrorBody : ErrorBody
  },
  prefix: ({ path }) => {
    if (path.startsWith("/api/v1/messages")) return "anthropic_"
    if (path === mcpPath) return "mcp_"
    return path.startsWith("/api/v1/") ? "openai_" : ""
  },
  example: ({ path }, code) => {
    const known = code as ErrorCode
    const text = Sentence.asIs(messages[known] ?? meanings[known], undefined)
    return getEnvelope(path)(new AppError(known, text, { details: details[code] }))
  },
}

export const serviceErrors: ErrorsOfApi = {
  codes: (endpoint) => {
    const codes: ServiceErrorCode[] = ["FORBIDDEN"]
    if (endpoint.access !== "public") codes.push("UNAUTHORIZED", "RATE_LIMITED")
    if (hasQuery(endpoint)) codes.push("VALIDATION_ERROR")
    if (hasParameter(endpoint)) codes.push("NOT_FOUND")
    if (hasBody(endpoint))
      codes.push("INVALID_JSON", "VALIDATION_ERROR", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE")
    return [...new Set<string>([...codes, ...(endpoint.errors ?? [])])].toSorted()
  },
  unlisted: "INTERNAL_ERROR",
  status: (code) => serviceErrorStatus[code as ServiceErrorCode],
  meaning: (code) => serviceMeanings[code as ServiceErrorCode],
  schema: () => ServiceErrorBody,
  prefix: () => "",
  example: (_endpoint, code) => ({
    error: {
      code,
      message: serviceMeanings[code as ServiceErrorCode],
      ...(code === "VALIDATION_ERROR"
        ? { issues: [{ path: "title", message: "Too small: expected string to have >=3 characters" }] }
        : {}),
    },
  }),
}

const meanings: Record<ErrorCode, string> = {
  invalid_json: "The body isn't JSON.",
  validation: "A field is missing or wrong; `details` lists the fields.",
  unsupported_content: "The model can't read this content, such as an image without a vision model.",
  forbidden_address: "This web address may not be fetched.",
  unauthorized: "The key is missing or not valid.",
  forbidden: "The key or the person may not do this, or the host or origin isn't allowed.",
  local_only: "It needs another computer, and Casella is local-only.",
  not_found: "It doesn't exist, or the caller may not see it.",
  method_not_allowed: "The path doesn't have this method.",
  conflict: "The current state doesn't allow it.",
  handle_taken: "Another assistant has this handle.",
  chat_busy: "An answer is being written in this chat.",
  queue_full: "The chat or the caller has too many queued questions.",
  quota_full: "The caller's quota for files or bytes is used up.",
  assistant_disabled: "The assistant is switched off.",
  other_session: "This browser is signed in as someone else.",
  payload_too_large: "The body is larger than the limit.",
  unsupported_media_type: "The content type is wrong, or the file doesn't support this.",
  range_not_satisfiable: "The file has no such bytes.",
  upgrade_required: "This path takes WebSocket connections only.",
  unprocessable: "The content can't be used.",
  unsupported_type: "Files of this type aren't accepted.",
  file_too_large: "The file is larger than the limit.",
  too_much_to_read: "Reading whole documents would exceed the limit.",
  rate_limited: "Too many requests; wait for `Retry-After` seconds.",
  quota_exceeded: "The caller's quota for today is used up.",
  internal: "A fault in Casella.",
  engine_crashed: "The program that runs the model ended.",
  no_model: "No model is chosen.",
  unavailable: "Something that is needed doesn't answer; try again after `Retry-After` seconds.",
  disk_full: "The disk is full.",
}

/** Sentences of examples where they differ from the meaning. */
const messages: Partial<Record<ErrorCode, string>> = {
  validation: "The field name is missing.",
  unauthorized: "This key isn't valid.",
  forbidden: "This key may not do that.",
  not_found: "There is nothing with this id.",
  rate_limited: "Too many requests at the same time. Try again in a few seconds.",
}

const details: Readonly<Record<string, object>> = {
  validation: [{ field: "name", message: "This field is missing." }],
  too_much_to_read: { characters: 4_200_000, estimatedSeconds: 5_400 },
}

const serviceMeanings: Record<ServiceErrorCode, string> = {
  INVALID_JSON: "The body is missing or isn't JSON.",
  VALIDATION_ERROR: "A field is missing or wrong.",
  UNAUTHORIZED: "The credential is missing, expired or not valid.",
  FORBIDDEN: "The credential may not do this, or the host or origin isn't allowed.",
  NOT_FOUND: "It doesn't exist.",
  METHOD_NOT_ALLOWED: "The path doesn't have this method.",
  CONFLICT: "The current state doesn't allow it.",
  PAYLOAD_TOO_LARGE: "The body is larger than the limit.",
  UNSUPPORTED_MEDIA_TYPE: "The content type isn't application/json.",
  RATE_LIMITED: "Too many requests. Wait before you try again.",
  QUOTA_EXCEEDED: "The quota of this credential is used up.",
  RETRY_REQUEST: "The key was changed or used by another request at the same time. Try again.",
  INTERNAL_ERROR: "A fault in the service.",
}
