import type { Request } from "express"
import { AppError } from "../../../shared/contract/errors.ts"

/** Aborted when whoever sent the request goes away, or has its answer. */
export function untilClosed(request: Request): AbortSignal {
  const closed = new AbortController()
  request.res?.once("close", () => closed.abort(new AppError("unavailable", "The caller went away.")))
  return closed.signal
}
