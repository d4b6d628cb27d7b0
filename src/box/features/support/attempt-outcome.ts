import type { OutboxProblem } from "../../../shared/contract/support.ts"
import type { ServiceFailure } from "./auth-service.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Consequences of a failed attempt for a report. */
export interface AttemptOutcome {
  state: "waiting" | "unsure" | "refused"
  problem: OutboxProblem
  /** Delay before the next attempt, in milliseconds; null if retrying won't help. */
  waitMs: number | null
}

const firstWaitMs = 5_000
const maxWaitMs = 15 * 60_000
/** A used-up quota is available again within a day, so the service can't ask for a longer wait. */
export const maxAskedWaitMs = 24 * 60 * 60_000

/** @param attempts number of attempts, including this one */
export function getOutcome(failure: ServiceFailure, attempts: number): AttemptOutcome {
  const { outcome, status, code, sentence: said, retryAfterMs } = failure
  const backOff = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(20, Math.max(0, attempts - 1)))
  const waitMs = Math.min(maxAskedWaitMs, Math.max(retryAfterMs ?? 0, backOff * (0.8 + 0.4 * Math.random())))
  const wait = (
    state: "waiting" | "unsure",
    problem: OutboxProblem["code"],
    { text, field } = said,
  ): AttemptOutcome => ({
    state,
    problem: { code: problem, message: text, ...field },
    waitMs,
  })
  const refuse = (problem: OutboxProblem["code"], { text, field }: Sentence): AttemptOutcome => ({
    state: "refused",
    problem: { code: problem, message: text, ...field },
    waitMs: null,
  })

  if (outcome === "unreached") return wait("waiting", "offline")
  if (outcome === "lost") return wait("unsure", "no_answer")
  if (code === "QUOTA_EXCEEDED") return wait("waiting", "quota")
  if (status === 429 || status >= 500) return wait("waiting", "busy")
  if (status === 401) return refuse("unauthorized", sentence("support.key_not_accepted"))
  if (status === 403) {
    return refuse("forbidden", sentence("support.key_without_tickets"))
  }
  if (status === 413) return refuse("too_large", sentence("support.report_too_large"))
  return refuse("invalid", Sentence.asIs(describeIssues(failure)))
}

function describeIssues({ message, issues }: ServiceFailure): string {
  const named = issues.slice(0, 3).map(({ path, message: text }) => `${path}: ${text}`)
  return [message, ...named].join(" ").slice(0, 1000)
}
