const dayMs = 86_400_000
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long" })
const date = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" })
const dateWithYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" })

/** The day that a notification stands under. */
export function dayHeading(iso: string, now = new Date()): string {
  const moment = new Date(iso)
  // Calendar days apart, whatever the clocks did in between.
  const apart = Math.round((startOf(now) - startOf(moment)) / dayMs)
  if (apart <= 0) return "Today"
  if (apart === 1) return "Yesterday"
  if (apart < 7) return weekday.format(moment)
  return (moment.getFullYear() === now.getFullYear() ? date : dateWithYear).format(moment)
}

const startOf = (moment: Date) =>
  new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime()
