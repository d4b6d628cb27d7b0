export const disabledUsers = `
ALTER TABLE users ADD COLUMN disabledAt TEXT;
`
