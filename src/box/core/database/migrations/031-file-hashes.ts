// A file with the same size and modification time, but another change time, may have other contents, so its bytes are compared. Null until
// they are read, in one of the box's own folders, or in rows of an earlier version.
export const fileHashes = `
ALTER TABLE files ADD COLUMN changedMs REAL;
ALTER TABLE files ADD COLUMN contentHash TEXT;
`
