import { isDiskFull } from "../../../core/disk/is-disk-full.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { DatabaseBusy } from "../../../core/database/sqlite-dialect.ts"

/** Ends of answers that a full disk or another program's lock refused: kept in memory and stored once that has passed. */
export interface UnstoredAnswers extends AsyncDisposable {
  /** `store` is called until it works, or fails for another reason. */
  keep(store: () => Promise<unknown>): void
}

/** Whether what was refused works again without anybody's change to it. */
export const passes = (cause: unknown): boolean => isDiskFull(cause) || cause instanceof DatabaseBusy

const retryMs = 2_000
/** Of the oldest, the text that was stored as it was written stays. */
const mostKept = 100

export function createUnstoredAnswers(logger: Logger): UnstoredAnswers {
  const kept = new Set<() => Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined

  async function storeAll(): Promise<void> {
    for (const store of kept) {
      try {
        await store()
      } catch (error) {
        if (passes(error)) return
        logger.error({ err: error }, "The end of an answer couldn't be stored")
      }
      kept.delete(store)
    }
  }

  function later(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void storeAll().then(() => kept.size > 0 && later())
    }, retryMs).unref()
  }

  return {
    keep(store) {
      for (const oldest of kept) if (kept.size >= mostKept) kept.delete(oldest)
      kept.add(store)
      later()
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await storeAll()
    },
  }
}
