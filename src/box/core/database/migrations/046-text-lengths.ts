// How long the pieces of files' texts are, told without opening them; null: not counted yet.
export const textLengths = `
ALTER TABLE fileTexts ADD COLUMN characters INTEGER;
CREATE INDEX fileTextsByLength ON fileTexts(fileId, characters);
`
