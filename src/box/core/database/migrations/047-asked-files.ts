// The files that a question names, in place of all of its folders; null: none.
export const askedFiles = `
ALTER TABLE messages ADD COLUMN askedFiles TEXT;
ALTER TABLE queuedQuestions ADD COLUMN fileIds TEXT;
`
