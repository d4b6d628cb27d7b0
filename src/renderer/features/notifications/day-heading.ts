import { t } from "i18next"
import { formatDay } from "../../lib/words/format.ts"

const dayMs = 86_400_000

/** The day heading above a notification. */
export function dayHeading(iso: string, now = new Date()): string {
  const moment = new Date(iso)
  // Calendar days between them, independent of clock changes.
  const apart = Math.round((getStart(now) - getStart(moment)) / dayMs)
  if (apart <= 0) return t("format:today")
  if (apart === 1) return t("format:yesterday")
  return formatDay(
    moment,
    apart < 7 ? "weekday" : moment.getFullYear() === now.getFullYear() ? "date" : "year",
  )
}

/** Start of the calendar day that contains a moment, and start of the next day, in milliseconds. */
export function dayAround(moment: number): { start: number; end: number } {
  const day = new Date(moment)
  const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1)
  return { start: getStart(day), end: next.getTime() }
}

const getStart = (moment: Date) =>
  new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime()
