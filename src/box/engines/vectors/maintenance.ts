import type { IndexLogger } from "./passage-record.ts"

/** Unindexed rows are scanned by every search: 1,000 take about 7 ms. */
const fewestRowsBeforeOptimize = 5_000
/** … while indexing them writes the keyword index of their part anew, so it may wait for a share of that. */
const shareBeforeOptimize = 0.15
/** What a commit counts for, however small: each leaves files behind. */
const rowsOfCommit = 150
const idleMs = 2_000
/** Long enough for the versions that the last run had to keep to be old enough to go. */
const pruneMs = 8_000

export interface MaintenanceDeps {
  /** Queues one optimisation behind the changes that wait. */
  optimize: () => Promise<void>
  logger: IndexLogger
}

/** Decides when the index is optimised: after much change, and when writing pauses. */
export function createMaintenance({ optimize, logger }: MaintenanceDeps) {
  /** Rows that the index has to take in. */
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
        if (!stopped) logger.warn({ err: error }, "the search index could not be optimised")
      })
      .finally(() => {
        queued = false
        if (changed) later(pruneMs)
      })
  }

  return {
    /** To be called after each commit, with its rows and those of the part that takes new ones. */
    changed(rows: number, partRows: number): void {
      waiting += Math.max(rows, rowsOfCommit)
      if (waiting >= Math.max(fewestRowsBeforeOptimize, partRows * shareBeforeOptimize)) run()
      else later(idleMs)
    },
    stop(): void {
      stopped = true
      clearTimeout(timer)
    },
  }
}
