// A file that has the size and time it had, and yet was changed at another moment, may be another one: its bytes tell. Null until
// they are read, in a folder of the box's own, or in rows of an earlier version.
export const fileHashes = `
ALTER TABLE files ADD COLUMN changedMs REAL;
ALTER TABLE files ADD COLUMN contentHash TEXT;
`
