// Imports of chats from other programs, with their results.
export const chatImports = `
CREATE TABLE chatImports (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  chats INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  skipped TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX chatImportsByOwner ON chatImports(ownerId, status);
`
