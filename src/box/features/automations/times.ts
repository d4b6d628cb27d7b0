import { Cron } from "croner"

/** The times of a schedule. In the spring gap a time comes once that day, in the autumn overlap once (extensions.md 6). */
export interface Times {
  /** The first one after a moment; null: there is none any more. */
  after(moment: number): number | null
}

/** Why a schedule can't be. */
export type WrongSchedule = "cron" | "time_zone" | "never"

/** How far ahead a time has to be for a schedule to count as one: what comes on 29 February comes within eight years. */
const farthestYears = 9

/** The times of a cron expression of five fields in a time zone, or what is wrong with it. */
export function timesOf(cron: string, timeZone: string, now: number): Times | WrongSchedule {
  const found = clockOf(timeZone)
  if (found === null) return "time_zone"
  const clock = found
  // Nicknames such as @daily, and what only some programs know (L, W, #, ?), mean something else elsewhere or nothing.
  if (!/^[\d*/,\-A-Za-z]+(\s+[\d*/,\-A-Za-z]+){4}$/.test(cron) || /(^|[\s,\d])[LW]([\s,]|$)/i.test(cron))
    return "cron"
  let schedule: Cron
  try {
    schedule = new Cron(cron, { timezone: timeZone, mode: "5-part", paused: true })
  } catch {
    return "cron"
  }
  const ofEachHour = cron.split(/\s+/)[1]?.startsWith("*") === true
  function after(moment: number): number | null {
    const next = schedule.nextRun(new Date(moment))?.getTime() ?? null
    // What names its hours comes once in the hour that the autumn repeats; what comes every hour comes in both.
    return next !== null && !ofEachHour && isRepeated(next, clock) ? after(next) : next
  }
  const first = after(now)
  if (first === null || first > now + farthestYears * 366 * 86_400_000) return "never"
  return { after }
}

/** Shifts of clocks in autumn. */
const shiftsMs = [3_600_000, 1_800_000]

/** Whether clocks showed the same before they were put back. */
function isRepeated(moment: number, clock: Intl.DateTimeFormat): boolean {
  return shiftsMs.some((shift) => clock.format(moment - shift) === clock.format(moment))
}

/** Each takes some 30 kB outside of JavaScript's heap, for as long as that isn't cleared up. */
const clocks = new Map<string, Intl.DateTimeFormat>()
const mostClocks = 50

/** What clocks show in a time zone; null where there is none of this name. */
function clockOf(name: string): Intl.DateTimeFormat | null {
  const known = clocks.get(name)
  if (known) return known
  try {
    const clock = new Intl.DateTimeFormat("en", { timeZone: name, dateStyle: "short", timeStyle: "short" })
    if (/^[+-]/.test(clock.resolvedOptions().timeZone)) return null // an offset has no daylight saving, and isn't a name
    if (clocks.size >= mostClocks) clocks.clear()
    clocks.set(name, clock)
    return clock
  } catch {
    return null
  }
}
