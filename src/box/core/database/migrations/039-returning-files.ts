// Of a deleted file that is being brought back, the name in its sub-folder, and the fingerprint, that its bytes get there before
// the database says so: a box that is killed in between knows them again.
export const returningFiles = `
CREATE TABLE returningFiles (
  fileId TEXT PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  file TEXT NOT NULL
) STRICT;
`
