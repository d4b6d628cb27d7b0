import type { Automation } from "../../../shared/contract/automations.ts"
import { timeZoneHere, occursOn, readCron } from "../../lib/words/schedule-words.ts"

/** A time at which an automation is due. */
export interface Coming {
  automation: Automation
  at: Date
}

/**
 * Returns the remaining runs this month by day of the month, in order. For a schedule that only the box can interpret, returns its next
 * run.
 */
export function comingMonth(automations: readonly Automation[], now: Date): Map<number, Coming[]> {
  const coming = automations.flatMap((automation) =>
    getTimes(automation, now).map((at): Coming => ({ automation, at })),
  )
  return Map.groupBy(
    coming.toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    ({ at }) => at.getDate(),
  )
}

function getTimes({ trigger, nextRunAt }: Automation, now: Date): Date[] {
  if (nextRunAt === null || trigger.kind !== "schedule") return []
  const next = new Date(nextRunAt)
  const days = getDays(now)
  const schedule = readCron(trigger.cron)
  const [hour = 0, minute = 0] = schedule.time.split(":").map(Number)
  if (schedule.rhythm === "own" || trigger.timeZone !== timeZoneHere())
    return days.some((day) => day.toDateString() === next.toDateString()) ? [next] : []
  return days
    .filter((day) => occursOn(schedule, day) === true)
    .map((day) => new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute))
    .filter((at) => at >= next)
}

function getDays(now: Date): Date[] {
  const count = new Date(now.getFullYear(), now.getMonth() + 1, 0).getDate()
  return Array.from({ length: count }, (_, index) => getDay(now, index + 1))
}

const getDay = (now: Date, day: number): Date => new Date(now.getFullYear(), now.getMonth(), day)

/** Returns the weeks of the month that contains `now`, from Monday, including days of the adjacent months. */
export function getWeeks(now: Date): Date[][] {
  const monday = 1 - ((getDay(now, 1).getDay() + 6) % 7)
  const count = Math.ceil((getDays(now).length + 1 - monday) / 7)
  return Array.from({ length: count }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => getDay(now, monday + week * 7 + day)),
  )
}
