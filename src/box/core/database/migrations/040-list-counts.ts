// Triggers maintain the number of items in lists, because counting 50,000 files takes 6 ms each time. Deleted chats aren't counted. The
// indexes of files and chats contain their names, so that a search for a name reads no rows.
export const listCounts = `
CREATE TABLE fileCounts (
  folderId TEXT NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (folderId, status)
) STRICT, WITHOUT ROWID;
INSERT INTO fileCounts SELECT folderId, status, count(*) FROM files GROUP BY folderId, status;

CREATE TRIGGER fileCounted AFTER INSERT ON files BEGIN
  INSERT INTO fileCounts VALUES (new.folderId, new.status, 1) ON CONFLICT DO UPDATE SET amount = amount + 1;
END;
CREATE TRIGGER fileUncounted AFTER DELETE ON files BEGIN
  UPDATE fileCounts SET amount = amount - 1 WHERE folderId = old.folderId AND status = old.status;
END;
CREATE TRIGGER fileRecounted AFTER UPDATE OF folderId, status ON files
WHEN new.folderId <> old.folderId OR new.status <> old.status BEGIN
  UPDATE fileCounts SET amount = amount - 1 WHERE folderId = old.folderId AND status = old.status;
  INSERT INTO fileCounts VALUES (new.folderId, new.status, 1) ON CONFLICT DO UPDATE SET amount = amount + 1;
END;
DROP INDEX filesInOrder;
CREATE INDEX filesInOrder ON files(folderId, id, searchName);

CREATE TABLE conversationCounts (
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  origin TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (ownerId, origin, pinned)
) STRICT, WITHOUT ROWID;
INSERT INTO conversationCounts
  SELECT ownerId, origin, pinned, count(*) FROM conversations WHERE removed = 0 GROUP BY ownerId, origin, pinned;

CREATE TRIGGER conversationCounted AFTER INSERT ON conversations WHEN new.removed = 0 BEGIN
  INSERT INTO conversationCounts VALUES (new.ownerId, new.origin, new.pinned, 1)
  ON CONFLICT DO UPDATE SET amount = amount + 1;
END;
CREATE TRIGGER conversationUncounted AFTER DELETE ON conversations WHEN old.removed = 0 BEGIN
  UPDATE conversationCounts SET amount = amount - 1
  WHERE ownerId = old.ownerId AND origin = old.origin AND pinned = old.pinned;
END;
CREATE TRIGGER conversationRecounted AFTER UPDATE OF origin, pinned, removed ON conversations
WHEN new.origin <> old.origin OR new.pinned <> old.pinned OR new.removed <> old.removed BEGIN
  UPDATE conversationCounts SET amount = amount - 1
  WHERE old.removed = 0 AND ownerId = old.ownerId AND origin = old.origin AND pinned = old.pinned;
  INSERT INTO conversationCounts SELECT new.ownerId, new.origin, new.pinned, 1 WHERE new.removed = 0
  ON CONFLICT DO UPDATE SET amount = amount + 1;
END;
DROP INDEX conversationsByTime;
CREATE INDEX conversationsByTime ON conversations(ownerId, removed, updatedAt DESC, id, pinned, foldedTitle);
DROP INDEX conversationsPinned;
CREATE INDEX conversationsPinned ON conversations(ownerId, removed, updatedAt DESC, id) WHERE pinned = 1;
`
