// Which files a question that waits is about, and the table that is to be made of them.
export const tablesOfQuestions = `
ALTER TABLE queuedQuestions ADD COLUMN fileIds TEXT;
ALTER TABLE queuedQuestions ADD COLUMN factTable TEXT;
`
