// A file that is replaced under another name is twice on the disk for a moment, one that is deleted is only a row: this
// tells how what was cut off ends. `toName` is null for a file that is being deleted.
export const unfinishedChanges = `
CREATE TABLE unfinishedChanges (
  fileId TEXT PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  subFolder TEXT NOT NULL,
  fromName TEXT NOT NULL,
  toName TEXT
) STRICT;
`
