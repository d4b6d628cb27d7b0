import { setTimeout as delay } from "node:timers/promises"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { transfer, TransferInterrupted, type TransferOptions } from "./transfer.ts"

export interface FetchOptions extends Omit<TransferOptions, "known" | "silenceMs"> {
  /** What the server's file is, as far as it is known now. */
  known(): TransferOptions["known"]
  /** Nothing arrives, for the reason given; it is tried again after a while. */
  onInterrupted(reason: Sentence): void
  limits: FetchLimits
  logger: Logger
}

export interface FetchLimits {
  /** Longest silence of the server. */
  silenceMs: number
  /** Wait before the second attempt; doubled before each further one. */
  retryMs: number
}

/** Attempts in a row that bring nothing. */
const mostAttempts = 6

/** Fetches a file through lost connections, and gives up when several attempts in a row bring nothing. */
export async function fetchModel({
  known,
  onInterrupted,
  limits,
  logger,
  ...options
}: FetchOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let brought = false
    try {
      return await transfer({
        ...options,
        known: known(),
        silenceMs: limits.silenceMs,
        onBytes(received) {
          brought = true
          options.onBytes(received)
        },
      })
    } catch (error) {
      if (!(error instanceof TransferInterrupted)) throw error
      if (brought) attempt = 1
      if (attempt >= mostAttempts) {
        const said = sentence("models.check_connection", { what: error.sentence })
        throw new AppError("unavailable", said, { cause: error })
      }
      logger.info({ err: error, address: options.address }, "A download was interrupted and is tried again")
      onInterrupted(error.sentence)
      await delay(limits.retryMs * 2 ** (attempt - 1), undefined, { signal: options.signal })
    }
  }
}
