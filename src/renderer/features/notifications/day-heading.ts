import { t } from "i18next"
import { formatDay } from "../../lib/format.ts"

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

const startOf = (moment: Date) =>
  new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime()
