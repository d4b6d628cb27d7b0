// The table that a question asked for; null: none.
export const tablesOfMessages = `
ALTER TABLE messages ADD COLUMN factTable TEXT;
`
