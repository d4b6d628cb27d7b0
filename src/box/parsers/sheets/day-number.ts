const dayMs = 86_400_000
/** The day that is called 0, so that those from March 1900 on have the right number. */
const origin = Date.UTC(1899, 11, 30)
const origin1904 = Date.UTC(1904, 0, 1)
/** 31 December 9999, Excel's last. */
const lastDay = 2_958_465

/** Dates of whole days, by where days count from: of many in a column, few are different. Nobody changes them. */
const known = { 1900: new Map<number, { date: string }>(), 1904: new Map<number, { date: string }>() }
const mostKnown = 10_000

/** The date that a number of days stands for in workbooks, or the number where it is none. */
export function dateOfDays(days: number, from1904: boolean): { date: string } | number {
  const dates = known[from1904 ? 1904 : 1900]
  const before = dates.get(days)
  if (before) return before
  const found = findDate(days, from1904)
  if (Number.isInteger(days) && typeof found === "object" && dates.size < mostKnown) dates.set(days, found)
  return found
}

function findDate(days: number, from1904: boolean): { date: string } | number {
  if (!(days >= 0 && days <= lastDay + 1)) return days
  // Excel takes 1900 for a leap year: its first 59 days are one more
  const early = !from1904 && days >= 1 && days < 60 ? 1 : 0
  const ms = (from1904 ? origin1904 : origin) + Math.round((days + early) * 86_400) * 1000
  const date = new Date(ms).toISOString()
  return { date: ms % dayMs === 0 ? date.slice(0, 10) : `${date.slice(0, 10)} ${date.slice(11, 19)}` }
}

/** A date as OpenDocument and newer Excel files write it, the way tables have it. */
export function dateOfText(written: string): { date: string } | string {
  const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?/.exec(written)
  if (!found) return written
  const [, day = "", time = ""] = found
  const isMidnight = /^[0:]*$/.test(time)
  return { date: isMidnight ? day : `${day} ${time.padEnd(8, ":00")}` }
}
