// Files that are copies of web pages, and when each is fetched again; files that their owner excluded from the index; original locations of
// files in the trash, by their ID there.
export const webPages = `
ALTER TABLE files ADD COLUMN webPage TEXT;
ALTER TABLE files ADD COLUMN refreshAt TEXT;
ALTER TABLE files ADD COLUMN leftOut INTEGER NOT NULL DEFAULT 0;
CREATE TABLE trashedFiles (
  id TEXT PRIMARY KEY,
  userId TEXT NOT NULL,
  folderId TEXT NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  subFolder TEXT NOT NULL,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  deletedAt TEXT NOT NULL
) STRICT;
CREATE INDEX trashedFilesFolder ON trashedFiles (folderId);
CREATE INDEX trashedFilesUser ON trashedFiles (userId);
CREATE INDEX filesRefresh ON files (refreshAt) WHERE refreshAt IS NOT NULL;
`
