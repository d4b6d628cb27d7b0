export const assistants = `
CREATE TABLE assistants (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  foldedName TEXT NOT NULL,
  handle TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  instructions TEXT NOT NULL,
  visibility TEXT NOT NULL,
  vectorIds TEXT NOT NULL,
  builtInTools TEXT NOT NULL,
  permissionMode TEXT NOT NULL,
  icon TEXT,
  color TEXT,
  customImage TEXT,
  suggestions TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL
) STRICT;
CREATE INDEX assistantsByTime ON assistants(createdAt DESC, id DESC);
`
