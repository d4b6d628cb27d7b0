// Several deletions can share one token, by which they are undone together.
export const deletionsTogether = `
CREATE TABLE newDeletions (
  number INTEGER PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  itemId TEXT NOT NULL,
  kept TEXT NOT NULL,
  tokenHash BLOB,
  until TEXT NOT NULL
) STRICT;
INSERT INTO newDeletions SELECT number, ownerId, kind, itemId, kept, tokenHash, until FROM deletions;
DROP TABLE deletions;
ALTER TABLE newDeletions RENAME TO deletions;
CREATE INDEX deletionsByItem ON deletions(ownerId, kind, itemId);
CREATE INDEX deletionsByToken ON deletions(tokenHash);
`
