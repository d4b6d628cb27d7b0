import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { unlessAborted } from "../../../core/waiting/abort.ts"

/** Whatever a server does, whoever links it hears of it in time. */
export const inTime = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  unlessAborted(work, signal).catch((error: unknown) => {
    throw signal.aborted ? new AppError("unavailable", sentence("tools.server_too_slow")) : error
  })
