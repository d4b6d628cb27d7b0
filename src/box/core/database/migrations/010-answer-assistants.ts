// A chat can switch to another assistant, so each answer records the one that wrote it.
export const answerAssistants = `
ALTER TABLE messages ADD COLUMN assistantId TEXT;
`
