import type { Request } from "express"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** One for all: every request ends, and an error of its own for each costs more than all the rest of its end. */
const callerGone = new AppError("unavailable", sentence("http.caller_gone"))

/** Aborted when whoever sent the request goes away, or has its answer. */
export function untilClosed(request: Request): AbortSignal {
  const closed = new AbortController()
  const { res: response } = request
  if (response?.closed === true) closed.abort(callerGone)
  else response?.once("close", () => closed.abort(callerGone))
  return closed.signal
}
