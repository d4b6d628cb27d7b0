import { Cron } from "croner"
import { timestamp } from "../../core/ids.ts"
import type { AutomationContext } from "./context.ts"
import { getTrigger, type AutomationRow } from "./store.ts"

/** The times of a schedule. A time in the spring gap occurs once that day, and one in the autumn overlap occurs once. */
interface Times {
  /** Returns the first time after a moment; null if there are no more. */
  after(moment: number): number | null
}

/** Reason why a schedule is invalid. */
type WrongSchedule = "cron" | "time_zone" | "never"

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

/** Adds one run for each scheduled time. A time missed while the box was off runs at the next start. */
export interface Schedule {
  /** Adds the runs that are due. Returns the time of the next check, in milliseconds since 1970. */
  startDueRuns(): Promise<number>
  /** Handles a clock that may have been put back: times that were due by the old clock are due again by the new one, unless they ran. */
  clockChanged(): Promise<void>
}

/** Maximum delay, in milliseconds, in noticing a time after the clock was put forward or the computer slept. */
const maxWaitMs = 30_000
const batchSize = 100

/** Returns the first scheduled time after a moment; null if there is none. */
export function nextTime(row: AutomationRow, moment: number): string | null {
  const trigger = getTrigger(row)
  if (trigger.kind !== "schedule") return null
  const times = parseSchedule(trigger.cron, trigger.timeZone, moment)
  const next = typeof times === "string" ? null : times.after(moment)
  return next === null ? null : timestamp(next)
}

/**
 * Parses a stored time to milliseconds since 1970. Returns null unless it has the format in which the server writes times. `Date.parse`
 * alone reads "soon 1" as a time in 2001, but the database, which compares texts, would never treat that as due.
 */
function parseMoment(time: string | null): number | null {
  const moment = time === null ? NaN : Date.parse(time)
  return Number.isNaN(moment) || timestamp(moment) !== time ? null : moment
}

export function createSchedule({
  store,
  runs,
  now,
}: Pick<AutomationContext, "store" | "runs" | "now">): Schedule {
  const timedNow = (row: AutomationRow) => ({ nextRunAt: nextTime(row, now()), timedAt: timestamp(now()) })

  /** Adds the run for one time and stores the next due time in the same transaction. */
  const add = ({ id }: AutomationRow): Promise<void> =>
    store.transaction(async (transaction) => {
      const row = await store.find(id, transaction)
      if (!row || row.enabled !== 1 || row.nextRunAt === null || row.nextRunAt > timestamp(now())) return
      if (parseMoment(row.nextRunAt) !== null)
        await runs.add(transaction, row, { kind: "schedule", at: row.nextRunAt })
      await store.update(transaction, id, timedNow(row))
    })

  return {
    async startDueRuns() {
      for (;;) {
        const due = await store.due(timestamp(now()), batchSize)
        for (const row of due) await add(row)
        if (due.length < batchSize) break
      }
      for (;;) {
        const next = await store.nextDue()
        const moment = next ? parseMoment(next.nextRunAt) : Infinity
        if (moment !== null) return Math.min(now() + maxWaitMs, moment)
        if (next) await store.transaction((transaction) => store.update(transaction, next.id, timedNow(next)))
      }
    },

    async clockChanged() {
      for (const { id } of await store.timedAfter(timestamp(now())))
        await store.transaction(async (transaction) => {
          const row = await store.find(id, transaction)
          if (!row || row.enabled !== 1) return
          const stored = parseMoment(row.nextRunAt) === null ? null : row.nextRunAt
          const isEarlier = (time: string) => stored === null || time < stored
          let next = nextTime(row, now())
          while (next !== null && isEarlier(next) && (await runs.hasRun(transaction, id, next)))
            next = nextTime(row, Date.parse(next))
          if (next !== null && isEarlier(next))
            await store.update(transaction, id, { nextRunAt: next, timedAt: timestamp(now()) })
        })
    },
  }
}
