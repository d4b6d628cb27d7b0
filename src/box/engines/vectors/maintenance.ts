import type { IndexLogger } from "./passage-record.ts"

/** Unindexed rows are scanned by every search, and every commit leaves files behind. */
const rowsBeforeOptimize = 5_000
const commitsBeforeOptimize = 30
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
  let rows = 0
  let commits = 0
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
    const changed = commits > 0
    rows = 0
    commits = 0
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
    /** To be called after each commit. */
    changed(count: number): void {
      rows += count
      commits++
      if (rows >= rowsBeforeOptimize || commits >= commitsBeforeOptimize) run()
      else later(idleMs)
    },
    stop(): void {
      stopped = true
      clearTimeout(timer)
    },
  }
}
