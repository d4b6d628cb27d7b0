import type { Departures } from "./departures.ts"
import type { ScanResult, ScanOptions } from "./reconcile.ts"

type Reconcile = (options: ScanOptions) => Promise<ScanResult>

/** Known facts about the folder and its directory before a scan. */
export interface ScanState extends Pick<ScanOptions, "device" | "accepted" | "state"> {
  /** Whether nothing has changed for a moment. */
  isQuiet: boolean
}

/** Number of files that a person may delete in ten minutes. If more are gone, they are removed only after no more leave. */
export const maxDeletionsAtOnce = 10

/**
 * Scans the given paths and everything below them, then checks the files waiting for removal after no more leave. Reports leaving and
 * removed files to `departures`.
 */
export async function scanPaths(
  paths: readonly string[],
  { isQuiet, ...known }: ScanState,
  departures: Departures,
  reconcile: Reconcile,
): Promise<Pick<ScanResult, "rescanPaths" | "missing">> {
  async function scan(what: Pick<ScanOptions, "paths" | "left" | "maxRemoved">): Promise<ScanResult> {
    if (known.state !== "missed") departures.expire()
    const before = { removedLately: departures.count, former: departures.take }
    const seen = await reconcile({ ...known, ...what, ...before })
    departures.remember(seen.removed)
    departures.wait(seen.leaving)
    return seen
  }

  const { rescanPaths, missing } = await scan({
    paths,
    left: [],
    maxRemoved: isQuiet ? maxDeletionsAtOnce : 0,
  })
  if (missing > 0) return { rescanPaths, missing }
  const left = departures.takeSettled()
  if (left.length === 0) return { rescanPaths, missing }
  const losses = await scan({ paths: [], left, maxRemoved: Infinity })
  return { rescanPaths, missing: losses.missing }
}
