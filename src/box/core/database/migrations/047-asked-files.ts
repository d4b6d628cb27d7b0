// The files that a question names, instead of all its folders; null: none.
export const askedFiles = `
ALTER TABLE messages ADD COLUMN askedFiles TEXT;
ALTER TABLE queuedQuestions ADD COLUMN fileIds TEXT;
`
