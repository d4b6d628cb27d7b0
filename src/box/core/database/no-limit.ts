/** For an offset, which SQLite takes after a limit only. */
export const noLimit = Number.MAX_SAFE_INTEGER
