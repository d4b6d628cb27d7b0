import type { ErrorBody } from "../../../shared/contract/errors.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import { saysNothing } from "./prompt.ts"
import type { Ended, RunStore } from "./run-store.ts"
import { bodyOf } from "./stored-automation.ts"

interface Reason {
  message: string
  sentence?: SentenceBody | undefined
}

export interface EndsDeps {
  /** Returns the text of a chat's last answer. */
  said(ownerId: string, chatId: string): Promise<string>
  /** Notifies a run's owner how it ended; `also` is written in the same transaction. */
  tell(
    run: {
      ownerId: string
      runId: string
      chatId: string | null
      automation: string
      said: string | null
      why: Reason | null
    },
    also: AlsoWrite,
  ): Promise<void>
  tellOff(ownerId: string, automation: { id: string; name: string; why: Reason }): Promise<void>
}

/** Notifies owners how runs ended, exactly once each, even after a crash. */
export function createEnds({ said, tell, tellOff }: EndsDeps, runs: RunStore) {
  const reasonOf = ({ error, sentence }: ErrorBody): Reason => ({ message: error, sentence })

  async function tellEnd({ run, automation }: Omit<Ended, "isSwitchedOff">): Promise<void> {
    if (run.told === 1) return
    if (automation.notify === "never") return runs.markTold(run.id)
    const { id: runId, ownerId, chatId } = run
    const why = bodyOf(run.error)
    const answer = why === null && chatId !== null ? await said(ownerId, chatId).catch(() => "") : null
    if (automation.notify === "result" && answer !== null && saysNothing(answer)) return runs.markTold(runId)
    await tell(
      { ownerId, runId, chatId, automation: automation.name, said: answer, why: why && reasonOf(why) },
      (transaction) => runs.markTold(runId, transaction),
    )
  }

  async function tellOf({ run, automation, isSwitchedOff }: Ended): Promise<void> {
    // Sent before the notification of the run's end, which marks the run as notified.
    const why = isSwitchedOff ? bodyOf(automation.problem) : null
    if (why) await tellOff(run.ownerId, { id: automation.id, name: automation.name, why: reasonOf(why) })
    await tellEnd({ run, automation })
  }

  return {
    tell: tellOf,

    /** Sends pending notifications for runs that ended before the box stopped. */
    async tellLeft(): Promise<void> {
      for (const left of await runs.untold()) await tellOf(left)
    },
  }
}
