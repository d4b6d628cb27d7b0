// A chat may change its assistant: each answer says who gave it.
export const answerAssistants = `
ALTER TABLE messages ADD COLUMN assistantId TEXT;
`
