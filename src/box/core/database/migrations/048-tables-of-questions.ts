// The table that is to be made for a question that waits; null: none.
export const tablesOfQuestions = `
ALTER TABLE queuedQuestions ADD COLUMN factTable TEXT;
`
