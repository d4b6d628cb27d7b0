// Files that a model wrote, which search, chat and whole reading leave out, and the folders in which they don't.
export const generatedFiles = `
ALTER TABLE files ADD COLUMN generatedBy TEXT;
ALTER TABLE trashedFiles ADD COLUMN generatedBy TEXT;
ALTER TABLE folders ADD COLUMN includeGenerated INTEGER NOT NULL DEFAULT 0;
`
