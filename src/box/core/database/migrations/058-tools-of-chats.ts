// The tools that a chat without an assistant may use: of its newest question, and of questions that wait.
export const toolsOfChats = `
ALTER TABLE conversations ADD COLUMN builtInTools TEXT NOT NULL DEFAULT '{}';
ALTER TABLE queuedQuestions ADD COLUMN builtInTools TEXT;
`
