// Whether the hidden parts of a folder's documents are left out or marked.
export const hiddenParts = `
ALTER TABLE folders ADD COLUMN "hiddenParts" TEXT NOT NULL DEFAULT 'skip';
`
