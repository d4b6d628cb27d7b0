// For a deleted file that is being restored: the name and fingerprint that its bytes get in its sub-folder before the database records it.
// A box that is killed in between recognises the bytes.
export const returningFiles = `
CREATE TABLE returningFiles (
  fileId TEXT PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  file TEXT NOT NULL
) STRICT;
`
