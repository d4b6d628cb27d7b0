// The model that an assistant uses, the model of a chat's newest question, and the model that wrote an answer.
export const chosenModels = `
ALTER TABLE assistants ADD COLUMN modelId TEXT;
ALTER TABLE conversations ADD COLUMN modelId TEXT;
ALTER TABLE queuedQuestions ADD COLUMN modelId TEXT;
ALTER TABLE messages ADD COLUMN model TEXT;
`
