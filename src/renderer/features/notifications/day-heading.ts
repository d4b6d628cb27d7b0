import { t } from "i18next"
import { formatDay } from "../../lib/words/format.ts"

const dayMs = 86_400_000

/** The day that a notification stands under. */
export function dayHeading(iso: string, now = new Date()): string {
  const moment = new Date(iso)
  // Calendar days apart, whatever the clocks did in between.
  const apart = Math.round((startOf(now) - startOf(moment)) / dayMs)
  if (apart <= 0) return t("format:today")
  if (apart === 1) return t("format:yesterday")
  return formatDay(
    moment,
    apart < 7 ? "weekday" : moment.getFullYear() === now.getFullYear() ? "date" : "year",
  )
}

/** The calendar day that a moment falls into: when it starts, and when the next one does, in milliseconds. */
export function dayAround(moment: number): { start: number; end: number } {
  const day = new Date(moment)
  const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1)
  return { start: startOf(day), end: next.getTime() }
}

const startOf = (moment: Date) =>
  new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime()
