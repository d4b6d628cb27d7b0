import type { ErrorBody } from "../../../shared/contract/errors.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import { isEmptyResult } from "./runner.ts"
import type { Ended, RunStore } from "./run-store.ts"
import { parseErrorBody } from "./store.ts"

interface Reason {
  message: string
  sentence?: SentenceBody | undefined
}

export interface EndsDeps {
  /** Returns the text of a chat's last answer. */
  answerText(ownerId: string, chatId: string): Promise<string>
  /** Notifies a run's owner how it ended; `also` is written in the same transaction. */
  notify(
    run: {
      ownerId: string
      runId: string
      chatId: string | null
      automation: string
      answerText: string | null
      why: Reason | null
    },
    also: AlsoWrite,
  ): Promise<void>
  notifySwitchedOff(ownerId: string, automation: { id: string; name: string; why: Reason }): Promise<void>
}

/** Notifies owners how runs ended, exactly once each, even after a crash. */
export function createEnds({ answerText, notify, notifySwitchedOff }: EndsDeps, runs: RunStore) {
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
