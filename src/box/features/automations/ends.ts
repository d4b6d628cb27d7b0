import type { ErrorBody } from "../../../shared/contract/errors.ts"
import type { AutomationContext, Reason } from "./context.ts"
import { isEmptyResult } from "./runner.ts"
import type { Ended } from "./run-store.ts"
import { parseErrorBody } from "./store.ts"

/** Notifies owners how runs ended, exactly once each, even after a crash. */
export function createEnds({ runs, answerText, notify, notifySwitchedOff }: AutomationContext) {
  const getReason = ({ error, sentence }: ErrorBody): Reason => ({ message: error, sentence })

  async function sendEndNotification({ run, automation }: Omit<Ended, "isSwitchedOff">): Promise<void> {
    if (run.told === 1) return
    if (automation.notify === "never") return runs.markNotified(run.id)
    const { id: runId, ownerId, chatId } = run
    const why = parseErrorBody(run.error)
    const answer = why === null && chatId !== null ? await answerText(ownerId, chatId).catch(() => "") : null
    if (automation.notify === "result" && answer !== null && isEmptyResult(answer))
      return runs.markNotified(runId)
    await notify(
      { ownerId, runId, chatId, automation: automation.name, answerText: answer, why: why && getReason(why) },
      (transaction) => runs.markNotified(runId, transaction),
    )
  }

  async function notifyOfEnd({ run, automation, isSwitchedOff }: Ended): Promise<void> {
    // Sent before the notification of the run's end, which marks the run as notified.
    const why = isSwitchedOff ? parseErrorBody(automation.problem) : null
    if (why)
      await notifySwitchedOff(run.ownerId, { id: automation.id, name: automation.name, why: getReason(why) })
    await sendEndNotification({ run, automation })
  }

  return {
    notify: notifyOfEnd,

    /** Sends pending notifications for runs that ended before the box stopped. */
    async notifyPending(): Promise<void> {
      for (const left of await runs.untold()) await notifyOfEnd(left)
    },
  }
}
