import type { BackupPlan } from "../../../../shared/contract/storage.ts"

/** After a failure it is tried again so much later, or when its time comes. */
const retryMs = 3_600_000

export interface PlanHistory {
  /** When the plan was made, or a backup by it came to its end: in ms since 1970. */
  since: number
  /** Whether a backup was made at `since`, failed, or none has been yet. */
  last: "made" | "failed" | "none"
}

/** When the next backup is due, in this computer's time. What is past was missed, and is due now. */
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
    // Without an hour, a day counts as soon as the box runs on it: this one too, unless it has its backup.
    const isAhead = at === null ? days > 0 || last === "none" : day.getTime() > since
    if (isDay && isAhead) return at === null && days === 0 ? since : day.getTime()
  }
}
