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
  /** What the last answer of a conversation says. */
  said(ownerId: string, chatId: string): Promise<string>
  /** Tells a run's owner how it ended; `also` is written with it. */
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

/** Tells owners how runs ended, each once, also over a crash. */
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
    // Before its end, after which it counts as told.
    const why = isSwitchedOff ? bodyOf(automation.problem) : null
    if (why) await tellOff(run.ownerId, { id: automation.id, name: automation.name, why: reasonOf(why) })
    await tellEnd({ run, automation })
  }

  return {
    tell: tellOf,

    /** Tells of those that ended with the box before. */
    async tellLeft(): Promise<void> {
      for (const left of await runs.untold()) await tellOf(left)
    },
  }
}
