// How much is to be read for a question that waits; null: its words decide.
export const readingOfQuestions = `
ALTER TABLE queuedQuestions ADD COLUMN reading TEXT;
`
