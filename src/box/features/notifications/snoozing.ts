import type { Logger } from "../../core/logging/logger.ts"
import type { Notifications } from "./service.ts"

export interface Snoozing extends Disposable {
  /** Looks for what was put off, now and from now on. */
  start(): Promise<void>
}

/** As late as a notification may come that was put off. */
const lookMs = 15_000

/** Sends notifications again when the time has come until which they were put off. */
export function createSnoozing(
  { wakeSnoozed }: Pick<Notifications, "wakeSnoozed">,
  logger: Logger,
): Snoozing {
  let timer: NodeJS.Timeout | undefined

  const look = () =>
    wakeSnoozed().catch((error: unknown) =>
      logger.warn({ err: error }, "Notifications that were put off weren't sent again"),
    )

  return {
    start() {
      timer ??= setInterval(() => void look(), lookMs).unref()
      return look()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
