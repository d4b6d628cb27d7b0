// Deleted items are hidden while the deletion can be undone, and removed afterwards. Items that an older version had hidden are removed at
// the next start.
export const deletions = `
CREATE TABLE deletions (
  number INTEGER PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  itemId TEXT NOT NULL,
  kept TEXT NOT NULL,
  tokenHash BLOB UNIQUE,
  until TEXT NOT NULL
) STRICT;
CREATE INDEX deletionsByItem ON deletions(ownerId, kind, itemId);

ALTER TABLE assistants ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queuedQuestions ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

INSERT INTO deletions (ownerId, kind, itemId, kept, until)
  SELECT ownerId, 'folder', id, '{}', '' FROM folders WHERE removed = 1;
INSERT INTO deletions (ownerId, kind, itemId, kept, until)
  SELECT ownerId, 'chat', id, '{}', '' FROM conversations WHERE removed = 1;
`
