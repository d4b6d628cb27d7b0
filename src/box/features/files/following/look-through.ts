import type { Departures } from "./departures.ts"
import type { Look, LookOptions } from "./reconcile.ts"

type Reconcile = (options: LookOptions) => Promise<Look>

/** What is known about the folder and its directory before a scan. */
export interface BeforeLook extends Pick<LookOptions, "device" | "accepted" | "state"> {
  /** Whether nothing has changed for a moment. */
  isQuiet: boolean
}

/** Number of files that a person may delete in ten minutes. If more are gone, they are removed only after no more leave. */
export const mostAtOnce = 10

/**
 * Scans the given paths and everything below them, then checks the files waiting for removal after no more leave. Reports leaving and
 * removed files to `departures`.
 */
export async function lookThrough(
  paths: readonly string[],
  { isQuiet, ...known }: BeforeLook,
  departures: Departures,
  reconcile: Reconcile,
): Promise<Pick<Look, "again" | "missing">> {
  async function look(what: Pick<LookOptions, "paths" | "left" | "mayGo">): Promise<Look> {
    if (known.state !== "missed") departures.expire()
    const before = { removedLately: departures.count, former: departures.take }
    const seen = await reconcile({ ...known, ...what, ...before })
    departures.remember(seen.removed)
    departures.wait(seen.leaving)
    return seen
  }

  const { again, missing } = await look({ paths, left: [], mayGo: isQuiet ? mostAtOnce : 0 })
  if (missing > 0) return { again, missing }
  const left = departures.takeSettled()
  if (left.length === 0) return { again, missing }
  const losses = await look({ paths: [], left, mayGo: Infinity })
  return { again, missing: losses.missing }
}
