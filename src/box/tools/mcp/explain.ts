import {
  IssuerMismatchError,
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from "@modelcontextprotocol/client"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { NeedsSignIn } from "./server.ts"

const maxLength = 300

/** Returns an error that describes what went wrong with a server, or `NeedsSignIn` if the server requires sign-in. */
export function explain(error: unknown): Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError || cause instanceof NeedsSignIn) return cause
    if (cause instanceof UnauthorizedError || isRefusal(cause)) return new NeedsSignIn()
    if (cause instanceof IssuerMismatchError && cause.kind === "authorization_response")
      return new AppError("conflict", sentence("integrations.wrong_issuer"), { cause: error })
    if (cause instanceof OAuthError)
      return unavailable(
        sentence("tools.sign_in_failed", { words: short(cause.message || cause.code) }),
        error,
      )
    if (cause instanceof OAuthClientFlowError)
      return unavailable(sentence("tools.sign_in_failed", { words: short(cause.message) }), error)
    if (cause instanceof ProtocolError)
      return new AppError(
        "unprocessable",
        sentence("tools.server_refused", { words: short(cause.message) }),
        {
          cause,
        },
      )
    if (cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed)
      return unavailable(sentence("tools.server_ended_early"), cause)
    if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout)
      return unavailable(sentence("tools.server_too_slow"), cause)
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT")
      return unavailable(sentence("tools.no_program"), error)
  }
  return unavailable(sentence("tools.server_not_reached"), error)
}

/** Whether the server rejects the token, even one that the user or the provider has only just supplied. */
const isRefusal = (error: Error) =>
  (error instanceof SdkHttpError && error.status === 401) || (error instanceof SseError && error.code === 401)

const unavailable = (said: Sentence, cause: unknown) => new AppError("unavailable", said, { cause })

const short = (text: string) =>
  text
    .replace(/^MCP error -?\d+: /, "")
    .replace(/\s+/g, " ")
    .slice(0, maxLength)
