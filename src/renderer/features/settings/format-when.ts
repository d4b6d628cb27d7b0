import { formatMoment, formatTime } from "../../lib/words/format.ts"

/** The time if it is today, otherwise the day and the time. */
export function formatWhen(iso: string): string {
  const [moment, time] = [formatMoment(iso), formatTime(iso)]
  return moment === time ? time : `${moment}, ${time}`
}
