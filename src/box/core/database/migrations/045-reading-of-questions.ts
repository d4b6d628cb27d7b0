// How much a queued question should read; null: its wording decides.
export const readingOfQuestions = `
ALTER TABLE queuedQuestions ADD COLUMN reading TEXT;
`
