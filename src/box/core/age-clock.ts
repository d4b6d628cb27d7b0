import { z } from "zod"
import { readSmallFileNow, replaceSmallFileNow } from "./files/file-contents.ts"
import { readStored } from "./database/sql-helpers.ts"

/** The time that decides when something is deleted or expires because of its age. In ms since 1970. */
export interface AgeTimes {
  /**
   * Time for measuring age. It is never ahead of the system clock. After a jump forward, or a long time without a running box, it catches
   * up by at most a week per day, regardless of restarts.
   */
  now(): number
  /** Time for dating something: the system clock, or the latest time reached if the system clock is behind it. */
  latest(): number
}

/** Stores the time reached from run to run. */
export interface AgeClock extends AgeTimes, Disposable {}

/** For data that doesn't survive a restart. */
export const systemTimes: AgeTimes = { now: Date.now, latest: Date.now }

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const furthestMs = 7 * dayMs

const StoredClock = z.object({
  /** The time reached. */
  now: z.number(),
  /** The time reached at the last catch-up. */
  caughtUp: z.number().default(0),
  /** The system clock when this was written. */
  system: z.number().default(0),
})

/**
 * @param path of the file with the time reached, which is compared at the next start
 * @param canWrite whether that file still belongs to this box
 */
export function openAgeClock(path: string, canWrite: () => boolean = () => true): AgeClock {
  const first = Date.now()
  let { now: settled, caughtUp, system } = read(path) ?? { now: first, caughtUp: first, system: first }
  let settledAt = performance.now()
  const reached = () => later(settled, performance.now() - settledAt)
  const away = Date.now() - system
  if (away <= dayMs) settled = later(settled, away)
  settle()
  const timer = setInterval(settle, hourMs).unref()

  function settle(): void {
    settled = reached()
    settledAt = performance.now()
    if (settled - caughtUp >= dayMs && settled < Date.now()) settled = caughtUp = later(settled, furthestMs)
    system = Date.now()
    if (!canWrite()) return
    try {
      const kept: z.infer<typeof StoredClock> = { now: settled, caughtUp, system }
      replaceSmallFileNow(path, JSON.stringify(kept), { flush: true })
    } catch {
      // on a full disk the file stays unchanged
    }
  }

  return {
    now: () => Math.min(Date.now(), reached()),
    latest: () => Math.max(Date.now(), reached()),
    [Symbol.dispose]() {
      clearInterval(timer)
      settle()
    },
  }
}

/** Stands still while the system clock is behind, so that repeated wrong jumps forward don't add up. */
const later = (settled: number, ms: number): number => Math.max(settled, Math.min(Date.now(), settled + ms))

function read(path: string): z.infer<typeof StoredClock> | undefined {
  try {
    return readStored(StoredClock, readSmallFileNow(path))
  } catch {
    return undefined // the first start, or a restored backup
  }
}
