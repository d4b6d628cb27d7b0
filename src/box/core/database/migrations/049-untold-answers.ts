// Answers whose owners must be notified, until the notification is stored.
export const untoldAnswers = `
ALTER TABLE conversations ADD COLUMN untold INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversationsUntold ON conversations (untold) WHERE untold = 1;
`
