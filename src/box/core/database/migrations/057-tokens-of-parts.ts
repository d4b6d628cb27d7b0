// Tokens sent to a model to read a part, so that the cost of other parts can be estimated.
export const tokensOfParts = `
ALTER TABLE readNotes ADD COLUMN tokens INTEGER;
`
