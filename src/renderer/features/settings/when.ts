import { formatMoment, formatTime } from "../../lib/words/format.ts"

/** Today the time; earlier the day and the time. */
export function whenOf(iso: string): string {
  const [moment, time] = [formatMoment(iso), formatTime(iso)]
  return moment === time ? time : `${moment}, ${time}`
}
