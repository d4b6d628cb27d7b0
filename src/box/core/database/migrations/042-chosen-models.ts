// Which model an assistant answers with, which one a conversation's newest question was for, and what wrote an answer.
export const chosenModels = `
ALTER TABLE assistants ADD COLUMN modelId TEXT;
ALTER TABLE conversations ADD COLUMN modelId TEXT;
ALTER TABLE queuedQuestions ADD COLUMN modelId TEXT;
ALTER TABLE messages ADD COLUMN model TEXT;
`
