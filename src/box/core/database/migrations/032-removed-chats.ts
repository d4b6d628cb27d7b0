// A chat is deleted in one write. Its messages, which may be many, are removed afterwards. The index provides lists and counts without
// reading rows.
export const removedChats = `
ALTER TABLE conversations ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
DROP INDEX conversationsByTime;
CREATE INDEX conversationsByTime ON conversations(ownerId, removed, updatedAt DESC, id);
`
