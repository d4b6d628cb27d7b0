// Questions to users, and the notifications that contain them.
export const questions = `
CREATE TABLE questions (
  id TEXT PRIMARY KEY,
  ownerId TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  askedWith TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  choices TEXT NOT NULL,
  defaultChoice TEXT,
  status TEXT NOT NULL,
  answer TEXT,
  answeredAt TEXT,
  expiresAt TEXT NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;
CREATE INDEX questionsInOrder ON questions(ownerId, id DESC);
CREATE INDEX questionsOpen ON questions(expiresAt) WHERE status = 'open';
ALTER TABLE notifications ADD COLUMN question TEXT;
`
