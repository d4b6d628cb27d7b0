// Limits of users and workspaces, users' daily usage, and the total bytes of a folder's files. Triggers maintain the totals, because adding
// up 50,000 files with every upload takes too long. For a person, -1 means no limit, and null means that the limit for everybody applies.
export const quotas = `
CREATE TABLE quotas (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  files INTEGER,
  bytes INTEGER,
  answers INTEGER,
  tokens INTEGER,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE dailyUse (
  userId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  answers INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (userId, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE folderSizes (
  folderId TEXT PRIMARY KEY REFERENCES folders(id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO folderSizes SELECT folderId, sum(size) FROM files GROUP BY folderId;

CREATE TRIGGER fileMeasured AFTER INSERT ON files BEGIN
  INSERT INTO folderSizes VALUES (new.folderId, new.size) ON CONFLICT DO UPDATE SET bytes = bytes + new.size;
END;
CREATE TRIGGER fileUnmeasured AFTER DELETE ON files BEGIN
  UPDATE folderSizes SET bytes = bytes - old.size WHERE folderId = old.folderId;
END;
CREATE TRIGGER fileMeasuredAnew AFTER UPDATE OF folderId, size ON files
WHEN new.folderId <> old.folderId OR new.size <> old.size BEGIN
  UPDATE folderSizes SET bytes = bytes - old.size WHERE folderId = old.folderId;
  INSERT INTO folderSizes VALUES (new.folderId, new.size) ON CONFLICT DO UPDATE SET bytes = bytes + new.size;
END;
`
