import type { Request } from "express"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Aborted when whoever sent the request goes away, or has its answer. */
export function untilClosed(request: Request): AbortSignal {
  const closed = new AbortController()
  request.res?.once("close", () => closed.abort(new AppError("unavailable", sentence("http.caller_gone"))))
  return closed.signal
}
