import type { BackupPlan } from "../../../../shared/contract/storage.ts"

/** Delay before a retry after a failure, unless the next planned time comes first. */
const retryMs = 3_600_000

export interface PlanHistory {
  /** When the plan was made, or its last backup ended, in ms since 1970. */
  since: number
  /** Whether a backup was made or failed at `since`, or there has been none yet. */
  last: "made" | "failed" | "none"
}

/** When the next backup is due, in this computer's time. A time in the past was missed, so the backup is due now. */
export function dueAt(plan: BackupPlan, { since, last }: PlanHistory): number {
  const next = nextTime(plan, since, last)
  return last === "failed" ? Math.min(next, since + retryMs) : next
}

function nextTime({ every, weekday, at }: BackupPlan, since: number, last: PlanHistory["last"]): number {
  const from = new Date(since)
  const [hours = 0, minutes = 0] = (at ?? "00:00").split(":").map(Number)
  const onDay = (days: number) =>
    new Date(from.getFullYear(), from.getMonth(), from.getDate() + days, hours, minutes)
  for (let days = 0; ; days++) {
    const day = onDay(days)
    const isDay = every === "day" || day.getDay() === weekday
    // Without a time of day, a backup is due as soon as the server runs on that day, including today unless today's backup exists.
    const isAhead = at === null ? days > 0 || last === "none" : day.getTime() > since
    if (isDay && isAhead) return at === null && days === 0 ? since : day.getTime()
  }
}
