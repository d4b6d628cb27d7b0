// Answers of which their owners are to be told, until that is stored.
export const untoldAnswers = `
ALTER TABLE conversations ADD COLUMN untold INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversationsUntold ON conversations (untold) WHERE untold = 1;
`
