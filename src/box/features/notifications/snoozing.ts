import type { Logger } from "../../core/logging/logger.ts"
import type { Notifications } from "./service.ts"

export interface Snoozing extends Disposable {
  /** Checks for snoozed notifications, now and as long as there are any. */
  start(): Promise<void>
  /** Called when another notification was snoozed. */
  onSnoozed(): void
}

/** Maximum delay of a snoozed notification. Checks are this frequent because clocks are changed and computers sleep. */
const pollIntervalMs = 15_000

/** Sends snoozed notifications again when their time has come. Idle while none is snoozed. */
export function createSnoozing(
  { wakeSnoozed, hasSnoozed }: Pick<Notifications, "wakeSnoozed" | "hasSnoozed">,
  logger: Logger,
): Snoozing {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function wait(): void {
    if (!isClosed) timer ??= setTimeout(() => void wakeDue(), pollIntervalMs).unref()
  }

  async function wakeDue(): Promise<void> {
    timer = undefined
    try {
      await wakeSnoozed()
      if (await hasSnoozed()) wait()
    } catch (error) {
      logger.warn({ err: error }, "Sending snoozed notifications again failed")
      wait()
    }
  }

  return {
    start: wakeDue,
    onSnoozed: wait,
    [Symbol.dispose]() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
