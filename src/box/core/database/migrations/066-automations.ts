// Automations and their runs, one for each cause. If an automation waits for files in a folder, indexed files are recorded in the same
// statement, until their runs are stored.
export const automations = `
CREATE TABLE automations (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  kind TEXT NOT NULL,
  trigger TEXT NOT NULL,
  folderId TEXT,
  hookHash BLOB,
  assistantId TEXT,
  modelId TEXT,
  prompt TEXT NOT NULL,
  vectorIds TEXT NOT NULL,
  reading TEXT NOT NULL,
  notify TEXT NOT NULL,
  watch INTEGER NOT NULL,
  minutes INTEGER NOT NULL,
  runsPerDay INTEGER NOT NULL,
  asker TEXT NOT NULL,
  nextRunAt TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  problem TEXT,
  found TEXT,
  createdAt TEXT NOT NULL
) STRICT;
CREATE INDEX automationsByOwner ON automations(ownerId, createdAt DESC, id DESC);
CREATE INDEX automationsByFolder ON automations(folderId) WHERE folderId IS NOT NULL;
CREATE INDEX automationsDue ON automations(nextRunAt) WHERE nextRunAt IS NOT NULL;
CREATE UNIQUE INDEX automationsByHook ON automations(hookHash) WHERE hookHash IS NOT NULL;

CREATE TABLE automationRuns (
  id TEXT PRIMARY KEY,
  automationId TEXT NOT NULL REFERENCES automations(id) ON DELETE CASCADE,
  ownerId TEXT NOT NULL,
  status TEXT NOT NULL,
  cause TEXT NOT NULL,
  causeKey TEXT NOT NULL,
  input TEXT,
  chatId TEXT,
  createdAt TEXT NOT NULL,
  startedAt TEXT,
  endedAt TEXT,
  error TEXT,
  attempt INTEGER NOT NULL DEFAULT 1,
  told INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX automationRunsByCause ON automationRuns(automationId, causeKey);
CREATE INDEX automationRunsInOrder ON automationRuns(automationId, id DESC);
CREATE INDEX automationRunsByChat ON automationRuns(chatId) WHERE chatId IS NOT NULL;
CREATE INDEX automationRunsOpen ON automationRuns(automationId, id) WHERE status IN ('queued', 'running', 'waiting');
CREATE INDEX automationRunsUntold ON automationRuns(id) WHERE told = 0;

ALTER TABLE messages ADD COLUMN quoted TEXT;

ALTER TABLE files ADD COLUMN arrivedRevision INTEGER NOT NULL DEFAULT 0;
UPDATE files SET arrivedRevision = revision WHERE status = 'completed';
CREATE TABLE awaitedFolders (
  folderId TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE fileArrivals (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  folderId TEXT NOT NULL,
  fileId TEXT NOT NULL,
  revision INTEGER NOT NULL,
  isNew INTEGER NOT NULL
) STRICT;
CREATE TRIGGER fileArrived AFTER UPDATE OF arrivedRevision ON files
WHEN new.arrivedRevision > old.arrivedRevision AND EXISTS (SELECT 1 FROM awaitedFolders WHERE folderId = new.folderId) BEGIN
  INSERT INTO fileArrivals (folderId, fileId, revision, isNew)
  VALUES (new.folderId, new.id, new.arrivedRevision, old.arrivedRevision = 0);
END;

CREATE TABLE keyCalls (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  keyId TEXT NOT NULL REFERENCES apiKeys(id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  method TEXT NOT NULL,
  route TEXT NOT NULL,
  status INTEGER NOT NULL,
  ms REAL NOT NULL,
  ip TEXT
) STRICT;
CREATE INDEX keyCallsInOrder ON keyCalls(keyId, number DESC);
`
