export const readLabels = `
ALTER TABLE messages ADD COLUMN readLabels TEXT;
`
