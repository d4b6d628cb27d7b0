import type { Logger } from "../../core/logging/logger.ts"
import type { Notifications } from "./service.ts"

export interface Snoozing extends Disposable {
  /** Looks for what was put off, now and as long as there is any. */
  start(): Promise<void>
  /** One more was put off. */
  began(): void
}

/** As late as a notification may come that was put off. Looked at again so often since clocks are set and computers sleep. */
const lookMs = 15_000

/** Sends notifications again when the time has come until which they were put off; at rest while none is. */
export function createSnoozing(
  { wakeSnoozed, hasSnoozed }: Pick<Notifications, "wakeSnoozed" | "hasSnoozed">,
  logger: Logger,
): Snoozing {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function wait(): void {
    if (!isClosed) timer ??= setTimeout(() => void look(), lookMs).unref()
  }

  async function look(): Promise<void> {
    timer = undefined
    try {
      await wakeSnoozed()
      if (await hasSnoozed()) wait()
    } catch (error) {
      logger.warn({ err: error }, "Notifications that were put off weren't sent again")
      wait()
    }
  }

  return {
    start: look,
    began: wait,
    [Symbol.dispose]() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
