// Tokens that a model was sent to read a part, so that what others take can be told before.
export const tokensOfParts = `
ALTER TABLE readNotes ADD COLUMN tokens INTEGER;
`
