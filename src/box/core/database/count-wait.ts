import { processCounts } from "../process-counts.ts"

/** Waits, and records the waiting time for monitoring. */
export async function countWait<T>(turn: Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    return await turn
  } finally {
    processCounts.databaseWaitMs += performance.now() - startedAt
  }
}
