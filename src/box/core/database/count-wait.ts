import { processCounts } from "../process-counts.ts"

/** Waits, and counts how long, for who watches over the box. */
export async function countWait<T>(turn: Promise<T>): Promise<T> {
  const begun = performance.now()
  try {
    return await turn
  } finally {
    processCounts.databaseWaitMs += performance.now() - begun
  }
}
