// The table that a question requested; null: none.
export const tablesOfMessages = `
ALTER TABLE messages ADD COLUMN factTable TEXT;
`
