// A file that is replaced under another name exists twice on the disk for a moment, and a file that is deleted exists only as a row. These
// rows show how to finish an interrupted change. `toName` is null for a file that is being deleted.
export const unfinishedChanges = `
CREATE TABLE unfinishedChanges (
  fileId TEXT PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  subFolder TEXT NOT NULL,
  fromName TEXT NOT NULL,
  toName TEXT
) STRICT;
`
