import type { Request } from "express"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Shared by all requests, because creating an error for each costs more than the rest of its end. */
const callerDisconnected = new AppError("unavailable", sentence("http.caller_gone"))

/** Aborts when the client disconnects or has its answer. */
export function createCloseSignal(request: Request): AbortSignal {
  const closed = new AbortController()
  const { res: response } = request
  if (response?.closed === true) closed.abort(callerDisconnected)
  else response?.once("close", () => closed.abort(callerDisconnected))
  return closed.signal
}
