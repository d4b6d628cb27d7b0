import type { Request } from "express"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Shared by all requests, because creating an error for each costs more than the rest of its end. */
const callerGone = new AppError("unavailable", sentence("http.caller_gone"))

/** Aborts when the client disconnects or has its answer. */
export function untilClosed(request: Request): AbortSignal {
  const closed = new AbortController()
  const { res: response } = request
  if (response?.closed === true) closed.abort(callerGone)
  else response?.once("close", () => closed.abort(callerGone))
  return closed.signal
}
