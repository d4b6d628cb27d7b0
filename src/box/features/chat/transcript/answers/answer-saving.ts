import { setTimeout as wait } from "node:timers/promises"
import { AppError } from "../../../../../shared/contract/errors.ts"
import { DatabaseAway, DatabaseBusy } from "../../../../core/database/database.ts"
import { isDiskFull } from "../../../../core/disk/disk-space.ts"
import type { Logger } from "../../../../core/logging/logger.ts"
import { createDelayedWork } from "../../../../core/waiting/delayed-work.ts"

/** Save interval: newer text may be lost if the box is killed. */
const saveEveryMs = 500
const awayRetryMs = 250
const maxAwayMs = 60_000

export interface AnswerSaver {
  /** Schedules a save of new content. */
  touch(): void
  /** Saves new content immediately. Throws if it can't. */
  flush(): Promise<void>
  /** Settles when no save is running and none will start. */
  stop(): Promise<void>
}

/** Repeats a write that the database server didn't receive or accept, for a minute at most, until `isOver`. */
export async function repeatWhileAway<T>(write: () => Promise<T>, isOver: () => boolean): Promise<T> {
  const until = performance.now() + maxAwayMs
  for (;;) {
    try {
      return await write()
    } catch (cause) {
      const isUnchanged = cause instanceof DatabaseAway && cause.isUnchanged
      if (!isUnchanged || isOver() || performance.now() > until) throw cause
      await wait(awayRetryMs)
    }
  }
}

/**
 * Saves the unsaved part of an answer while it is written, one save at a time. A save blocked by another program's lock is retried while
 * the answer continues; so is one that the database server didn't receive, for a minute. Any other failure is passed to `onFailure`, and
 * no save follows it, so that the stored text has no holes.
 */
export function createAnswerSaver(
  save: () => Promise<void>,
  onFailure: (cause: unknown) => void,
): AnswerSaver {
  let timer: NodeJS.Timeout | undefined
  let saving = Promise.resolve()
  let stopped = false

  async function saveOnceFree(): Promise<void> {
    try {
      await repeatWhileAway(save, () => stopped)
    } catch (cause) {
      if (stopped || !(cause instanceof DatabaseBusy)) throw cause
      await saveOnceFree()
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    return (saving = saving.then(() => saveOnceFree()))
  }

  return {
    touch() {
      timer ??= setTimeout(() => void flush().catch(onFailure), saveEveryMs)
    },
    flush,
    stop() {
      stopped = true
      clearTimeout(timer)
      return saving.catch(() => undefined)
    },
  }
}

/**
 * Keeps ends of answers in memory that couldn't be stored because of a full disk, another program's lock or an unavailable server, and
 * stores them when the problem has passed.
 */
export interface UnstoredAnswers extends AsyncDisposable {
  /** Calls `store` until it succeeds or fails for another reason. */
  keep(store: () => Promise<unknown>): void
}

/** Returns whether the failure can pass by itself, so that a retry makes sense. */
export const passes = (cause: unknown): boolean =>
  isDiskFull(cause) || (cause instanceof AppError && cause.code === "unavailable")

const retryMs = 2_000
/** Maximum number of ends kept. The oldest is dropped first; its text that was stored during writing remains. */
const maxKept = 100

export function createUnstoredAnswers(logger: Logger): UnstoredAnswers {
  const kept = new Set<() => Promise<unknown>>()

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

  async function tryAgain(): Promise<void> {
    await storeAll()
    if (kept.size > 0) trying.ask()
  }

  const trying = createDelayedWork(tryAgain, retryMs, (error) =>
    logger.error({ err: error }, "Ends of answers couldn't be stored"),
  )

  return {
    keep(store) {
      for (const oldest of kept) if (kept.size >= maxKept) kept.delete(oldest)
      kept.add(store)
      trying.ask()
    },
    async [Symbol.asyncDispose]() {
      await trying[Symbol.asyncDispose]()
      await storeAll()
    },
  }
}
