const dayMs = 86_400_000
/** The day with number 0, chosen so that days from March 1900 on have the right number. */
const origin = Date.UTC(1899, 11, 30)
const origin1904 = Date.UTC(1904, 0, 1)
/** 31 December 9999, Excel's last day. */
const lastDay = 2_958_465

/** Cache of dates of whole days, by date system, because a column has few different ones. The values are never modified. */
const known = { 1900: new Map<number, { date: string }>(), 1904: new Map<number, { date: string }>() }
const maxKnown = 10_000

/** Returns the date for a day number in a workbook, or the number if it isn't a valid date. */
export function dayNumberToDate(days: number, from1904: boolean): { date: string } | number {
  const dates = known[from1904 ? 1904 : 1900]
  const before = dates.get(days)
  if (before) return before
  const found = findDate(days, from1904)
  if (Number.isInteger(days) && typeof found === "object" && dates.size < maxKnown) dates.set(days, found)
  return found
}

function findDate(days: number, from1904: boolean): { date: string } | number {
  if (!(days >= 0 && days <= lastDay + 1)) return days
  // Excel treats 1900 as a leap year, so its first 59 days are off by one.
  const early = !from1904 && days >= 1 && days < 60 ? 1 : 0
  const ms = (from1904 ? origin1904 : origin) + Math.round((days + early) * 86_400) * 1000
  const date = new Date(ms).toISOString()
  return { date: ms % dayMs === 0 ? date.slice(0, 10) : `${date.slice(0, 10)} ${date.slice(11, 19)}` }
}

/** Converts a date in the format of OpenDocument and newer Excel files to the format of tables. */
export function parseDateText(written: string): { date: string } | string {
  const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?/.exec(written)
  if (!found) return written
  const [, day = "", time = ""] = found
  const isMidnight = /^[0:]*$/.test(time)
  return { date: isMidnight ? day : `${day} ${time.padEnd(8, ":00")}` }
}
