/** What this process counts, all boxes in it, for who watches over it (`GET /api/metrics`). */
export const processCounts = {
  /** Streams of events that are open. */
  openStreams: 0,
  /** How often the database was too busy, or out of reach, so far. */
  databaseRefusals: 0,
  /** How long all together have waited for others to be done with the database, in ms. */
  databaseWaitMs: 0,
}
