// A message becomes searchable when it is complete, because an unfinished answer is written several times a second. Only its first 20,000
// characters are indexed. `searchedMessages` gives it a number that, unlike a rowid, doesn't change when the database is copied.
export const chats = `
ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversationsPinned ON conversations(ownerId, updatedAt DESC) WHERE pinned = 1;
ALTER TABLE messages ADD COLUMN usage TEXT;

CREATE TABLE searchedMessages (
  id INTEGER PRIMARY KEY,
  ownerId TEXT NOT NULL,
  conversationId TEXT NOT NULL,
  messageId TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX searchedMessagesByOwner ON searchedMessages(ownerId, id DESC);
CREATE VIRTUAL TABLE messageTexts USING fts5(
  text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);
INSERT INTO searchedMessages (ownerId, conversationId, messageId)
  SELECT ownerId, conversationId, id FROM messages WHERE role <> 'system' AND content <> '' ORDER BY id;
INSERT INTO messageTexts (rowid, text)
  SELECT searched.id, substr(content, 1, 20000)
  FROM searchedMessages searched JOIN messages ON messages.id = messageId;

CREATE TRIGGER messageAdded AFTER INSERT ON messages WHEN new.role <> 'system' AND new.content <> '' BEGIN
  INSERT INTO searchedMessages (ownerId, conversationId, messageId)
    VALUES (new.ownerId, new.conversationId, new.id);
  INSERT INTO messageTexts (rowid, text)
    SELECT id, substr(new.content, 1, 20000) FROM searchedMessages WHERE messageId = new.id;
END;
CREATE TRIGGER messageCompleted AFTER UPDATE OF finishReason ON messages
WHEN new.finishReason IS NOT NULL AND new.content <> '' BEGIN
  DELETE FROM messageTexts WHERE rowid = (SELECT id FROM searchedMessages WHERE messageId = new.id);
  INSERT OR IGNORE INTO searchedMessages (ownerId, conversationId, messageId)
    VALUES (new.ownerId, new.conversationId, new.id);
  INSERT INTO messageTexts (rowid, text)
    SELECT id, substr(new.content, 1, 20000) FROM searchedMessages WHERE messageId = new.id;
END;
CREATE TRIGGER messageRemoved AFTER DELETE ON messages BEGIN
  DELETE FROM messageTexts WHERE rowid = (SELECT id FROM searchedMessages WHERE messageId = old.id);
  DELETE FROM searchedMessages WHERE messageId = old.id;
END;

CREATE TABLE retrievals (
  messageId TEXT PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE,
  query TEXT NOT NULL,
  strategy TEXT NOT NULL,
  candidates TEXT NOT NULL
) STRICT;

ALTER TABLE folders ADD COLUMN chatId TEXT;
CREATE UNIQUE INDEX foldersByChat ON folders(ownerId, chatId) WHERE chatId IS NOT NULL;
`
