// Lengths of the pieces of files' texts, so that they needn't be opened; null: not counted yet.
export const textLengths = `
ALTER TABLE fileTexts ADD COLUMN characters INTEGER;
CREATE INDEX fileTextsByLength ON fileTexts(fileId, characters);
`
