// The table that a queued question requests; null: none.
export const tablesOfQuestions = `
ALTER TABLE queuedQuestions ADD COLUMN factTable TEXT;
`
