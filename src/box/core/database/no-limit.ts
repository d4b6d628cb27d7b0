/** For queries with an offset but no limit: SQLite accepts an offset only after a limit. */
export const noLimit = Number.MAX_SAFE_INTEGER
