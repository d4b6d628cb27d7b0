import { setTimeout as delay } from "node:timers/promises"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { transfer, TransferInterrupted, type TransferOptions } from "./transfer.ts"

export interface FetchOptions extends Omit<TransferOptions, "known" | "silenceMs"> {
  /** Properties of the server's file that are known so far. */
  known(): TransferOptions["known"]
  /** Nothing arrives, for the given reason; the next attempt follows after a delay. */
  onInterrupted(reason: Sentence): void
  limits: FetchLimits
  logger: Logger
}

export interface FetchLimits {
  /** Timeout in milliseconds while the server sends nothing. */
  silenceMs: number
  /** Delay in milliseconds before the second attempt; doubled before each further one. */
  retryMs: number
}

/** Maximum consecutive attempts without any new bytes. */
const maxAttempts = 6

/** Fetches a file despite lost connections. Gives up after several consecutive attempts without new bytes. */
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
      if (attempt >= maxAttempts) {
        const said = sentence("models.check_connection", { what: error.sentence })
        throw new AppError("unavailable", said, { cause: error })
      }
      logger.info({ err: error, address: options.address }, "A download was interrupted and is retried")
      onInterrupted(error.sentence)
      await delay(limits.retryMs * 2 ** (attempt - 1), undefined, { signal: options.signal })
    }
  }
}
