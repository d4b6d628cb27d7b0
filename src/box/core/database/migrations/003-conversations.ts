export const conversations = `
CREATE TABLE conversations (
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  foldedTitle TEXT NOT NULL,
  origin TEXT NOT NULL,
  vectorIds TEXT NOT NULL,
  assistantId TEXT,
  projectId TEXT,
  headId TEXT,
  messageCount INTEGER NOT NULL,
  streamStatus TEXT NOT NULL,
  streamStartedAt TEXT,
  streamActivityAt TEXT,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL,
  PRIMARY KEY (ownerId, id)
) STRICT;
CREATE INDEX conversationsByTime ON conversations(ownerId, updatedAt DESC, id);

CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL,
  conversationId TEXT NOT NULL,
  parentId TEXT,
  depth INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  parts TEXT NOT NULL,
  attachments TEXT,
  finishReason TEXT,
  createdAt TEXT NOT NULL,
  FOREIGN KEY (ownerId, conversationId) REFERENCES conversations(ownerId, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX messagesByConversation ON messages(ownerId, conversationId, depth);
CREATE INDEX messagesByParent ON messages(parentId);
`
