// The tools that a chat without an assistant may use, for its newest question and for queued questions.
export const toolsOfChats = `
ALTER TABLE conversations ADD COLUMN builtInTools TEXT NOT NULL DEFAULT '{}';
ALTER TABLE queuedQuestions ADD COLUMN builtInTools TEXT;
`
