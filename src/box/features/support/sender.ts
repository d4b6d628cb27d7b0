import { parseTimestamp, timestamp } from "../../core/ids.ts"
import { onBehalfOf } from "../../core/async-context.ts"
import { maxAskedWaitMs } from "./attempt-outcome.ts"
import { createAttempts, settleMs, type AttemptDeps } from "./attempts.ts"
import type { Moments } from "./ticket-row.ts"

/** Sends waiting reports one at a time. */
export interface Sender extends AsyncDisposable {
  /** Resumes reports that an earlier run left unsent. */
  start(): Promise<void>
  /** Checks for due reports at once. */
  wake(): void
  /** Also checks reports that don't wait for a time, because their reason to wait may have changed. */
  wakeBlocked(): Promise<void>
}

export const moments = (): Moments => ({
  now: timestamp(),
  settled: timestamp(Date.now() + settleMs),
})

const maxTimerMs = 60 * 60_000
/** Delay in milliseconds after an internal error, such as a full disk. */
const faultWaitMs = 30_000

export function createSender(deps: AttemptDeps): Sender {
  const { queue, logger } = deps
  const attempt = createAttempts(deps)
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let shouldRepeat = false
  let closed = false

  async function sendDue(): Promise<void> {
    await queue.doubtInterrupted(moments()) // reports interrupted by an internal error
    for (;;) {
      const row = closed
        ? undefined
        : await queue.nextDue({ now: timestamp(), furthest: timestamp(Date.now() + maxAskedWaitMs) })
      if (!row) break
      await onBehalfOf({ userId: row.ownerId }, () => attempt(row))
    }
    const next = closed ? null : await queue.earliest()
    if (next !== null) sleep(parseTimestamp(next, Infinity) - Date.now())
  }

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(wake, Math.min(maxTimerMs, Math.max(0, ms)))
  }

  function wake(): void {
    if (closed) return
    if (working) {
      shouldRepeat = true
      return
    }
    shouldRepeat = false
    clearTimeout(timer)
    working = sendDue()
      .catch((error: unknown) => {
        if (closed) return
        logger.error({ err: error }, "Sending support tickets stopped")
        sleep(faultWaitMs)
      })
      .finally(() => {
        working = undefined
        if (shouldRepeat) wake()
      })
  }

  async function wakeBlocked(): Promise<void> {
    await queue.wakeBlocked(moments())
    wake()
  }

  return {
    wake,
    wakeBlocked,
    async start() {
      await queue.doubtInterrupted(moments())
      await wakeBlocked()
    },
    async [Symbol.asyncDispose]() {
      closed = true
      clearTimeout(timer)
      await working
    },
  }
}
