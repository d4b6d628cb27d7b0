import { z } from "zod"
import { readSmallFileNow, replaceSmallFileNow } from "./files/small-file.ts"
import { readStored } from "./database/stored-json.ts"

/** What is taken for the time where something is deleted or ends because of its age. In ms since 1970. */
export interface AgeTimes {
  /**
   * For how old something is. It is never ahead of the system's clock, and follows a jump forward, or a long time in which
   * the box didn't run, by a week a day at most, over any number of starts.
   */
  now(): number
  /** For dating something: the system's clock, or what time had come to when the system's clock is behind that. */
  latest(): number
}

/** Keeps what time had come to from run to run. */
export interface AgeClock extends AgeTimes, Disposable {}

/** For whoever outlives no start. */
export const systemTimes: AgeTimes = { now: Date.now, latest: Date.now }

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const furthestMs = 7 * dayMs

const Kept = z.object({
  /** What it had come to. */
  now: z.number(),
  /** What it had come to, by itself, when it last caught up. */
  caughtUp: z.number().default(0),
  /** The system's clock, when this was written. */
  system: z.number().default(0),
})

/**
 * @param path where it keeps what it has come to: it is compared at the next start
 * @param mayWrite whether that is still its own
 */
export function openAgeClock(path: string, mayWrite: () => boolean = () => true): AgeClock {
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
    if (!mayWrite()) return
    try {
      const kept: z.infer<typeof Kept> = { now: settled, caughtUp, system }
      replaceSmallFileNow(path, JSON.stringify(kept), { flush: true })
    } catch {
      // on a full disk it stays where it was
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

/** It stands still while the system's clock is behind, so that being led too far again and again doesn't add up. */
const later = (settled: number, ms: number): number => Math.max(settled, Math.min(Date.now(), settled + ms))

function read(path: string): z.infer<typeof Kept> | undefined {
  try {
    return readStored(Kept, readSmallFileNow(path))
  } catch {
    return undefined // the first start, or a restored backup
  }
}
