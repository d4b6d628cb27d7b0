export const queuedQuestions = `
CREATE TABLE queuedQuestions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  chatId TEXT NOT NULL,
  content TEXT NOT NULL,
  assistantId TEXT,
  vectorIds TEXT NOT NULL,
  attachments TEXT,
  afterId TEXT,
  boxAddress TEXT NOT NULL,
  asker TEXT NOT NULL,
  now INTEGER NOT NULL DEFAULT 0,
  stopped INTEGER NOT NULL DEFAULT 0,
  problem TEXT,
  createdAt TEXT NOT NULL
) STRICT;
CREATE INDEX queuedQuestionsByChat ON queuedQuestions(ownerId, chatId, number);
`
