import { Cron } from "croner"

/** The times of a schedule. A time in the spring gap occurs once that day, and one in the autumn overlap occurs once. */
export interface Times {
  /** Returns the first time after a moment; null if there are no more. */
  after(moment: number): number | null
}

/** Reason why a schedule is invalid. */
export type WrongSchedule = "cron" | "time_zone" | "never"

/** A schedule is valid only if a time occurs within this many years: 29 February occurs within eight years. */
const farthestYears = 9

/** Returns the times of a cron expression with five fields in a time zone, or the reason why it is invalid. */
export function parseSchedule(cron: string, timeZone: string, now: number): Times | WrongSchedule {
  const found = createClock(timeZone)
  if (found === null) return "time_zone"
  const clock = found
  // Nicknames such as @daily, and extensions of some programs (L, W, #, ?), mean something else elsewhere, or nothing.
  if (!/^[\d*/,\-A-Za-z]+(\s+[\d*/,\-A-Za-z]+){4}$/.test(cron) || /(^|[\s,\d])[LW]([\s,]|$)/i.test(cron))
    return "cron"
  let schedule: Cron
  try {
    schedule = new Cron(cron, { timezone: timeZone, mode: "5-part", paused: true })
  } catch {
    return "cron"
  }
  const isHourly = cron.split(/\s+/)[1]?.startsWith("*") === true
  function after(moment: number): number | null {
    const next = schedule.nextRun(new Date(moment))?.getTime() ?? null
    // In the hour that autumn repeats, a schedule with named hours occurs once, and an hourly one twice.
    return next !== null && !isHourly && isRepeated(next, clock) ? after(next) : next
  }
  const first = after(now)
  if (first === null || first > now + farthestYears * 366 * 86_400_000) return "never"
  return { after }
}

/** Amounts by which clocks are put back in autumn. */
const shiftsMs = [3_600_000, 1_800_000]

/** Whether clocks showed the same time before they were put back. */
function isRepeated(moment: number, clock: Intl.DateTimeFormat): boolean {
  return shiftsMs.some((shift) => clock.format(moment - shift) === clock.format(moment))
}

/** Each takes about 30 kB outside JavaScript's heap until it is garbage-collected. */
const clocks = new Map<string, Intl.DateTimeFormat>()
const maxClocks = 50

/** Returns the formatter for a time zone; null if the name is unknown. */
function createClock(name: string): Intl.DateTimeFormat | null {
  const known = clocks.get(name)
  if (known) return known
  try {
    const clock = new Intl.DateTimeFormat("en", { timeZone: name, dateStyle: "short", timeStyle: "short" })
    if (/^[+-]/.test(clock.resolvedOptions().timeZone)) return null // an offset has no daylight saving and isn't a zone name
    if (clocks.size >= maxClocks) clocks.clear()
    clocks.set(name, clock)
    return clock
  } catch {
    return null
  }
}
