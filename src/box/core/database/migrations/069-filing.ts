// Changes to files' names, locations and tags, so that they can be undone, and the history of each file.
export const filing = `
ALTER TABLE files ADD COLUMN tags TEXT;
CREATE INDEX filesTagged ON files(folderId, tags, id) WHERE tags IS NOT NULL;
CREATE TABLE filings (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  action TEXT NOT NULL,
  status TEXT NOT NULL,
  fileId TEXT NOT NULL,
  besideId TEXT,
  was TEXT,
  became TEXT NOT NULL,
  taken TEXT,
  chatId TEXT,
  callKey TEXT,
  createdAt TEXT NOT NULL,
  undoneAt TEXT
) STRICT;
CREATE INDEX filingsInOrder ON filings(ownerId, id DESC);
CREATE INDEX filingsOfFile ON filings(fileId);
CREATE INDEX filingsOfCalls ON filings(ownerId, chatId, callKey) WHERE callKey IS NOT NULL;
CREATE INDEX filingsUnderWay ON filings(id) WHERE taken IS NOT NULL;

CREATE TABLE fileHistory (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  fileId TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  step TEXT NOT NULL,
  stepKey TEXT NOT NULL,
  at TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX fileHistorySteps ON fileHistory(fileId, stepKey);
CREATE INDEX fileHistoryKeys ON fileHistory(stepKey);
`
