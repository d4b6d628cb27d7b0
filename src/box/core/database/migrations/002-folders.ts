export const folders = `
CREATE TABLE folders (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  path TEXT NOT NULL,
  managed INTEGER NOT NULL,
  device TEXT,
  topK INTEGER NOT NULL,
  filter INTEGER NOT NULL,
  strategy TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  visibility TEXT NOT NULL,
  iconName TEXT,
  accentColor TEXT,
  paused INTEGER NOT NULL,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL
) STRICT;
CREATE INDEX foldersByOwner ON folders(ownerId, createdAt);

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  folderId TEXT NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  subFolder TEXT NOT NULL,
  searchName TEXT NOT NULL,
  size INTEGER NOT NULL,
  modifiedMs REAL NOT NULL,
  identity TEXT NOT NULL,
  mimeType TEXT NOT NULL,
  storage TEXT NOT NULL,
  status TEXT NOT NULL,
  phase TEXT NOT NULL,
  progress INTEGER NOT NULL,
  error TEXT,
  note TEXT,
  attempts INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL,
  UNIQUE (folderId, subFolder, name)
) STRICT;
CREATE INDEX filesInOrder ON files(folderId, id);
CREATE INDEX filesByStatus ON files(folderId, status, id);
CREATE INDEX filesByIdentity ON files(folderId, identity);
CREATE INDEX filesToIngest ON files(folderId, priority DESC, id) WHERE status = 'queued';
CREATE INDEX filesInWork ON files(id) WHERE status = 'processing';

CREATE TABLE fileTexts (
  fileId TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  blocks BLOB NOT NULL,
  PRIMARY KEY (fileId, position)
) STRICT;

CREATE TABLE passages (
  id TEXT PRIMARY KEY,
  fileId TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  location TEXT NOT NULL
) STRICT;
CREATE INDEX passagesInOrder ON passages(fileId, position);

CREATE TABLE passageEmbeddings (
  passageId TEXT PRIMARY KEY REFERENCES passages(id) ON DELETE CASCADE,
  modelId TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT;
`
