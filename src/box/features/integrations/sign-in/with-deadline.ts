import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { unlessAborted } from "../../../core/waiting/abort-and-timeout.ts"

/** Throws `unavailable` when the signal aborts, so that a slow server doesn't keep the user waiting. */
export const withDeadline = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  unlessAborted(work, signal).catch((error: unknown) => {
    throw signal.aborted ? new AppError("unavailable", sentence("tools.server_too_slow")) : error
  })
