export const questions = `
CREATE TABLE questions (
  id text COLLATE "C" PRIMARY KEY,
  "ownerId" text COLLATE "C" NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  "askedWith" text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  description text COLLATE "C" NOT NULL,
  choices text COLLATE "C" NOT NULL,
  "defaultChoice" text COLLATE "C",
  status text COLLATE "C" NOT NULL,
  answer text COLLATE "C",
  "answeredAt" text COLLATE "C",
  "expiresAt" text COLLATE "C" NOT NULL,
  "createdAt" text COLLATE "C" NOT NULL
);
CREATE INDEX "questionsInOrder" ON questions("ownerId", id DESC);
CREATE INDEX "questionsOpen" ON questions("expiresAt") WHERE status = 'open';
ALTER TABLE notifications ADD COLUMN question text COLLATE "C";
`
