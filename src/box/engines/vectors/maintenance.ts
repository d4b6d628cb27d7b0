import type { IndexLogger } from "./passage-record.ts"

/** Every search scans unindexed rows: 1,000 take about 7 ms. */
const minRowsBeforeOptimize = 5_000
/** Indexing new rows rewrites their part's keyword index, so it may wait until they are this share of the part. */
const shareBeforeOptimize = 0.15
/** Number of rows that even a small commit is treated as, because each commit leaves files behind. */
const rowsOfCommit = 150
const idleMs = 2_000
/** Long enough for the versions that the last run had to keep to become old enough for deletion. */
const pruneMs = 8_000

export interface MaintenanceDeps {
  /** Queues one optimisation after the pending changes. */
  optimize: () => Promise<void>
  logger: IndexLogger
}

/** Decides when the index is optimised: after many changes, and when writing pauses. */
export function createMaintenance({ optimize, logger }: MaintenanceDeps) {
  /** Number of rows not yet indexed. */
  let waiting = 0
  let timer: NodeJS.Timeout | undefined
  let queued = false
  let stopped = false

  const later = (delayMs: number) => {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(run, delayMs).unref()
  }

  const run = () => {
    if (queued || stopped) return
    queued = true
    const changed = waiting > 0
    waiting = 0
    optimize()
      .catch((error: unknown) => {
        if (!stopped) logger.warn({ err: error }, "The search index couldn't be optimised")
      })
      .finally(() => {
        queued = false
        if (changed) later(pruneMs)
      })
  }

  return {
    /** Call this after each commit, with its number of rows and that of the part that takes new ones. */
    changed(rows: number, partRows: number): void {
      waiting += Math.max(rows, rowsOfCommit)
      if (waiting >= Math.max(minRowsBeforeOptimize, partRows * shareBeforeOptimize)) run()
      else later(idleMs)
    },
    stop(): void {
      stopped = true
      clearTimeout(timer)
    },
  }
}
