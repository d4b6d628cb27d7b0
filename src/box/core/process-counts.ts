/** Counters of this process, including all boxes in it, for monitoring (`GET /api/metrics`). */
export const processCounts = {
  /** Number of open event streams. */
  openStreams: 0,
  /** How often the database was too busy or unreachable. */
  databaseRefusals: 0,
  /** Total time that callers have waited for others to finish with the database, in ms. */
  databaseWaitMs: 0,
}

/** Waits, and records the waiting time for monitoring. */
export async function countWait<T>(turn: Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    return await turn
  } finally {
    processCounts.databaseWaitMs += performance.now() - startedAt
  }
}
