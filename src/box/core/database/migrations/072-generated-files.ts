// Files that a model wrote, which search, chat and whole reading exclude, and the folders that include them.
export const generatedFiles = `
ALTER TABLE files ADD COLUMN generatedBy TEXT;
ALTER TABLE trashedFiles ADD COLUMN generatedBy TEXT;
ALTER TABLE folders ADD COLUMN includeGenerated INTEGER NOT NULL DEFAULT 0;
`
