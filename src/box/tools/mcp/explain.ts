import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { OAuthError } from "@modelcontextprotocol/sdk/server/auth/errors.js"
import { SseError } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { NeedsSignIn } from "./server.ts"

const longest = 300
const codes: { closed: number; late: number } = {
  closed: ErrorCode.ConnectionClosed,
  late: ErrorCode.RequestTimeout,
}

/** What went wrong with a server, in a sentence; `NeedsSignIn` where that is what it wants. */
export function explain(error: unknown): Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError || cause instanceof NeedsSignIn) return cause
    if (cause instanceof UnauthorizedError || isRefusal(cause)) return new NeedsSignIn()
    if (cause instanceof OAuthError)
      return unavailable(
        sentence("tools.sign_in_failed", { words: short(cause.message || cause.errorCode) }),
        error,
      )
    if (cause instanceof McpError) return explainProtocol(cause)
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT")
      return unavailable(sentence("tools.no_program"), error)
  }
  return unavailable(sentence("tools.server_not_reached"), error)
}

/** It doesn't take the token, be it given by the user or by the provider a moment ago. */
const isRefusal = (error: Error) =>
  (error instanceof StreamableHTTPError || error instanceof SseError) && error.code === 401

function explainProtocol(error: McpError): AppError {
  if (error.code === codes.closed) return unavailable(sentence("tools.server_ended_early"), error)
  if (error.code === codes.late) return unavailable(sentence("tools.server_too_slow"), error)
  return new AppError("unprocessable", sentence("tools.server_refused", { words: short(error.message) }), {
    cause: error,
  })
}

const unavailable = (said: Sentence, cause: unknown) => new AppError("unavailable", said, { cause })

const short = (text: string) =>
  text
    .replace(/^MCP error -?\d+: /, "")
    .replace(/\s+/g, " ")
    .slice(0, longest)
